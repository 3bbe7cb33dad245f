/* SPDX-License-Identifier: MIT */
/*
 * confine.c - `confine RULE... -- COMMAND...` runs a command under rules that a container or a service manager sets.
 *
 *   refuse=CALL:ERRNO   a seccomp filter answers that system call with the error
 *   limit=NAME:VALUE    a resource limit, soft and hard
 *   close=FD            a descriptor less
 *   block               all signals are blocked
 *   no-new-privileges, no-capabilities, pid-namespace
 *   tmpfs=FOLDER:SIZE   a small file system, seen by this command only
 *
 * Exit code: the command's; 126 where a rule cannot be set here (one line on stderr says which).
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof (array) / sizeof *(array))
#define CANNOT            126

struct word {
	const char *name;
	long value;
};

/* clang-format off */
static const struct word calls[] = {
	{ "clone3",            SYS_clone3 },
	{ "fallocate",         SYS_fallocate },
	{ "madvise",           SYS_madvise },
	{ "membarrier",        SYS_membarrier },
	{ "memfd_create",      SYS_memfd_create },
	{ "perf_event_open",   SYS_perf_event_open },
	{ "process_vm_readv",  SYS_process_vm_readv },
	{ "renameat2",         SYS_renameat2 },
	{ "tgkill",            SYS_tgkill },
	{ "timer_create",      SYS_timer_create },
};

static const struct word errors[] = {
	{ "EMFILE", EMFILE },
	{ "ENOSYS", ENOSYS },
	{ "EPERM",  EPERM },
};

static const struct word limits[] = {
	{ "as",     RLIMIT_AS },
	{ "nofile", RLIMIT_NOFILE },
	{ "stack",  RLIMIT_STACK },
};
/* clang-format on */

static long
find (const struct word *words, size_t count, const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen (words[i].name) == length && !strncmp (words[i].name, name, length))
			return words[i].value;
	fprintf (stderr, "confine: unknown word %.*s\n", (int) length, name);
	exit (2);
}

#define FIND(words, name, length) find (words, ARRAY_SIZE (words), name, length)

/* --- rules: 0, or -1 with errno ----------------------------------------------------------------------------------- */

static int
rule_refuse (char *value)
{
	size_t length = strcspn (value, ":");
	uint32_t call = (uint32_t) FIND (calls, value, length);
	uint32_t error = (uint32_t) FIND (errors, value + length + 1, strlen (value + length + 1));
	struct sock_filter program[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { ARRAY_SIZE (program), program };
	return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int
rule_limit (char *value)
{
	size_t length = strcspn (value, ":");
	rlim_t number = (rlim_t) strtoull (value + length + 1, NULL, 0);
	struct rlimit limit = { number, number };
	return setrlimit ((unsigned) FIND (limits, value, length), &limit);
}

static int
rule_close (char *value)
{
	return close (atoi (value));
}

static int
rule_block (char *value)
{
	sigset_t all;
	sigfillset (&all);
	return sigprocmask (SIG_SETMASK, &all, NULL);
}

static int
rule_no_new_privileges (char *value)
{
	return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static int
rule_no_capabilities (char *value)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct nothing[2] = { { 0 } };
	for (int capability = 0; prctl (PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		if (prctl (PR_CAPBSET_DROP, capability, 0, 0, 0) && geteuid () == 0)
			return -1;
	return (int) syscall (SYS_capset, &header, nothing);
}

/* The command is process 1 of a namespace; whoever is outside waits for it and ends as it does. */
static int
rule_pid_namespace (char *value)
{
	int status;
	if (unshare (CLONE_NEWPID))
		return -1;
	pid_t child = fork ();
	if (child <= 0)
		return child;
	while (waitpid (child, &status, 0) < 0)
		continue;
	_exit (WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status));
}

static int
rule_tmpfs (char *value)
{
	char options[64];
	char *size = strrchr (value, ':');
	*size = 0;
	snprintf (options, sizeof options, "size=%s", size + 1);
	return unshare (CLONE_NEWNS) || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount ("none", value, "tmpfs", 0, options);
}

/* clang-format off */
static const struct rule {
	const char *name;
	int (*set) (char *value);
} rules[] = {
	{ "block",             rule_block },
	{ "close",             rule_close },
	{ "limit",             rule_limit },
	{ "no-capabilities",   rule_no_capabilities },
	{ "no-new-privileges", rule_no_new_privileges },
	{ "pid-namespace",     rule_pid_namespace },
	{ "refuse",            rule_refuse },
	{ "tmpfs",             rule_tmpfs },
};
/* clang-format on */

static void
rule_apply (char *word)
{
	size_t length = strcspn (word, "=");
	for (size_t i = 0; i < ARRAY_SIZE (rules); i++) {
		if (strlen (rules[i].name) != length || strncmp (rules[i].name, word, length))
			continue;
		if (!rules[i].set (word[length] ? word + length + 1 : word + length))
			return;
		fprintf (stderr, "confine: %s: %s\n", word, strerror (errno));
		exit (CANNOT);
	}
	fprintf (stderr, "confine: unknown rule %s\n", word);
	exit (2);
}

int
main (int argc, char **argv)
{
	int i;
	for (i = 1; i < argc && strcmp (argv[i], "--"); i++)
		rule_apply (argv[i]);
	if (i + 1 >= argc)
		return 2;
	execvp (argv[i + 1], argv + i + 1);
	fprintf (stderr, "confine: %s: %s\n", argv[i + 1], strerror (errno));
	return 127;
}
