/*
 * SPDX-License-Identifier: MIT
 *
 * thunk.S - what every thunk of a checked module leads to: asks monocle__check_call () and does as it says, without
 * the function, its arguments or its result noticing.
 *
 * On entry r11 holds the import, the rest is as the module's `call` left it:
 *
 *     rsp + 8 ...   arguments on the stack, the return address below them: not touched
 *     rdi rsi rdx rcx r8 r9, al, xmm0-7    arguments in registers: saved over the question
 *
 *     rbp +  8   return address            The verdict comes back in rax (function) and rdx (word).
 *     rbp +  0   the module's rbp
 *     rbp -  8 .. - 56   rdi rsi rdx rcx r8 r9 rax
 *     rbp - 192 .. - 64  xmm0-7
 *
 * A function that takes at most five arguments may get the word as its sixth.
 */
	.text
	.globl	monocle__arch_gate
	.hidden	monocle__arch_gate
	.type	monocle__arch_gate, @function
	.p2align 4
monocle__arch_gate:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$192, %rsp
	movq	%rdi, -8(%rbp)
	movq	%rsi, -16(%rbp)
	movq	%rdx, -24(%rbp)
	movq	%rcx, -32(%rbp)
	movq	%r8, -40(%rbp)
	movq	%r9, -48(%rbp)
	movq	%rax, -56(%rbp)
	movaps	%xmm0, 0(%rsp)
	movaps	%xmm1, 16(%rsp)
	movaps	%xmm2, 32(%rsp)
	movaps	%xmm3, 48(%rsp)
	movaps	%xmm4, 64(%rsp)
	movaps	%xmm5, 80(%rsp)
	movaps	%xmm6, 96(%rsp)
	movaps	%xmm7, 112(%rsp)
	movq	%r11, %rdi
	call	monocle__check_call
	movq	%rax, %r11
	movq	%rdx, %r10
	movaps	0(%rsp), %xmm0
	movaps	16(%rsp), %xmm1
	movaps	32(%rsp), %xmm2
	movaps	48(%rsp), %xmm3
	movaps	64(%rsp), %xmm4
	movaps	80(%rsp), %xmm5
	movaps	96(%rsp), %xmm6
	movaps	112(%rsp), %xmm7
	movq	-8(%rbp), %rdi
	movq	-16(%rbp), %rsi
	movq	-24(%rbp), %rdx
	movq	-32(%rbp), %rcx
	movq	-40(%rbp), %r8
	movq	-48(%rbp), %r9
	movq	-56(%rbp), %rax
	leave
	.cfi_def_cfa %rsp, 8
	testq	%r11, %r11
	je	1f
	testq	%r10, %r10
	cmovneq	%r10, %r9
	jmp	*%r11
1:
	movq	%r10, %rax
	xorps	%xmm0, %xmm0
	ret
	.cfi_endproc
	.size	monocle__arch_gate, . - monocle__arch_gate

	.section .note.GNU-stack, "", @progbits
