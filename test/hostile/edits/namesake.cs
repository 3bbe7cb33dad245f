// SPDX-License-Identifier: MIT
// A class that is called as the core library's is, which the runtime takes for that one, and never makes an object of.
namespace System.Diagnostics {
	[AttributeUsage (AttributeTargets.Assembly)]
	public class DebuggableAttribute : Attribute {
		public enum DebuggingModes { None }
		readonly DebuggingModes modes;
		public DebuggableAttribute (DebuggingModes modes)
		{
			this.modes = modes;
		}
	}
}
