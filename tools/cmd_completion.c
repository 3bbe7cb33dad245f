/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_completion.c - `monocle completion`: a script that has a shell complete command lines of ours, and its answers.
 *
 * A script knows nothing but how its shell is told: at each Tab it asks `monocle completion --answer`.
 */
#include "command/output.h"
#include "commands.h"
#include "completion-bash.h"
#include "completion-fish.h"
#include "completion-zsh.h"
#include "completion.h"

#include <getopt.h> /* optind */
#include <string.h>

typedef struct {
	bool answer;
} arguments;

/* clang-format off */
static const struct {
	const char *name, *script;
	size_t size;
} shells[] = {
	{ "bash", completion_bash, sizeof completion_bash },
	{ "zsh",  completion_zsh,  sizeof completion_zsh },
	{ "fish", completion_fish, sizeof completion_fish },
};
/* clang-format on */

static int
print_script (const char *shell)
{
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (strcmp (shells[i].name, shell) == 0) {
			fwrite (shells[i].script, 1, shells[i].size, stdout);
			return monocle__output_finish (stdout, NULL);
		}
	}
	return monocle__usage_error (&monocle__command_completion, "completion is for bash, zsh or fish, not '%s'", shell);
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int code, dashes = monocle__options_find_dashes (argc, argv);
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_completion, argc, argv, &args, &code))
		return code;
	if (args.answer) {
		int first = dashes < argc ? dashes + 1 : optind; /* a shell may be named before */
		monocle__completion_write (stdout, argv + first, (size_t) (argc - first));
		return monocle__output_finish (stdout, NULL);
	}
	if (optind + 1 != argc)
		return monocle__usage_error (&monocle__command_completion, "completion takes one of bash, zsh and fish");
	return print_script (argv[optind]);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "answer", 0, MONOCLE__OPTION_ON, offsetof (arguments, answer), NULL,
	  "what the scripts ask: with -- WORD..., those behind monocle, prints what the last one\n"
	  "may become" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_completion = {
	.name = "completion",
	.summary = "print a script for the shell's completion",
	.operands = "bash|zsh|fish",
	.options = options,
	.about = "Prints a script with which Tab completes commands, options, their values, modules with\n"
	         "their options, and profiles. An installed monocle has put all three where shells look.\n",
	.examples = "  monocle completion bash > ~/.local/share/bash-completion/completions/monocle\n"
	            "  monocle completion zsh > ~/.zfunc/_monocle\n"
	            "  monocle completion fish > ~/.config/fish/completions/monocle.fish\n",
	.run = run,
};
