// SPDX-License-Identifier: MIT
// Starts and ends.
namespace Own
{
	class Program { static int Main () { return 3; } }
}
