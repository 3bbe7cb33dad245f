// SPDX-License-Identifier: MIT
//
// Prices.cs - how an amount is written.
namespace Shop;

public static class Prices
{
	public static string Written (int cents)
	{
		string sign = "";
		if (cents < 0) {
			sign = "-";
			cents = -cents;
		}
		return sign + cents / 100 + "." + (cents % 100).ToString ("00");
	}

	public static string Kind (int cents)
	{
		switch (cents) {
		case 0:
			return "free";
		case 1:
			return "a cent";
		case 2:
		case 3:
			return "some cents";
		default:
			return "money";
		}
	}

	// A loop that begins with the first instruction.
	public static int Last (int cents)
	{
		do
			cents -= 10;
		while (cents >= 10);
		return cents;
	}
}
