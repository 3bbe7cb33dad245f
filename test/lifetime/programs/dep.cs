// SPDX-License-Identifier: MIT
namespace Dep {
public class Thing { public int Value = 4; }
}
