/*
 * SPDX-License-Identifier: MIT
 *
 * test_digest.c - digest.c against the vectors of FIPS 180 and RFC 1321, and at the borders of blocks.
 */
#include "digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef void digest (const void *data, size_t size, uint8_t *ret_digest);

static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

static void
expect (digest *make, size_t length, const void *data, size_t size, const char *expected)
{
	uint8_t bytes[32];
	char text[65] = "";
	make (data, size, bytes);
	for (size_t i = 0; i < length; i++)
		sprintf (text + i * 2, "%02x", bytes[i]);
	assert_string_equal (text, expected);
}

static void
expect_md5 (const void *data, size_t size, const char *expected)
{
	expect (monocle__digest_md5, 16, data, size, expected);
}

static void
expect_sha1 (const void *data, size_t size, const char *expected)
{
	expect (monocle__digest_sha1, 20, data, size, expected);
}

static void
expect_sha256 (const void *data, size_t size, const char *expected)
{
	expect (monocle__digest_sha256, 32, data, size, expected);
}

static void
published_messages_have_their_digests (void **state)
{
	expect_md5 (NULL, 0, "d41d8cd98f00b204e9800998ecf8427e");
	expect_md5 ("", 0, "d41d8cd98f00b204e9800998ecf8427e");
	expect_md5 ("abc", 3, "900150983cd24fb0d6963f7d28e17f72");
	expect_md5 (two_blocks, 56, "8215ef0796a20bcaaae116d3876c664a");
	expect_sha1 (NULL, 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	expect_sha1 ("", 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	expect_sha1 ("abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
	expect_sha1 (two_blocks, 56, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
	expect_sha256 (NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_sha256 ("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_sha256 ("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_sha256 (two_blocks, 56, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* The length field needs eight bytes and the one bit a ninth: these lengths stand on both sides of each border. */
static void
padding_is_right_at_every_border (void **state)
{
	static uint8_t a[1000000];
	memset (a, 'a', sizeof a);
	expect_md5 (a, 55, "ef1772b6dff9a122358552954ad0df65");
	expect_sha1 (a, 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a");
	expect_sha256 (a, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	expect_md5 (a, 56, "3b0c8ac703f828b04c6c197006d17218");
	expect_sha1 (a, 56, "c2db330f6083854c99d4b5bfb6e8f29f201be699");
	expect_sha256 (a, 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
	expect_md5 (a, 63, "b06521f39153d618550606be297466d5");
	expect_sha1 (a, 63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5");
	expect_sha256 (a, 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
	expect_md5 (a, 64, "014842d480b571495a4a0363793f7367");
	expect_sha1 (a, 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d");
	expect_sha256 (a, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	expect_md5 (a, 65, "c743a45e0d2e6a95cb859adae0248435");
	expect_sha1 (a, 65, "11655326c708d70319be2610e8a57d9a5b959d3b");
	expect_sha256 (a, 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
	expect_md5 (a, sizeof a, "7707d6ae4e027c70eea2a935c2296f21");
	expect_sha1 (a, sizeof a, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
	expect_sha256 (a, sizeof a, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (published_messages_have_their_digests),
		cmocka_unit_test (padding_is_right_at_every_border),
	};
	return cmocka_run_group_tests_name ("base digest", tests, NULL, NULL);
}
