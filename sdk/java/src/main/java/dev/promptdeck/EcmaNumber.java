package dev.promptdeck;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Numbers as ECMAScript spells them (ECMA-262, Number::toString), so that a text reads the same whoever rendered it.
 * {@link Double#toString} does not do: before Java 19 its digits are not always the fewest that lead back (JDK-4511638).
 */
final class EcmaNumber {
    /** No double needs more digits than this to be told from all others. */
    private static final int MOST_DIGITS = 17;

    private EcmaNumber() {}

    /** Every number counts as a double, as it does for the service: whole ones beyond 2^53 become the nearest of those. */
    static String spell(Number number) {
        // Widening a float would show digits that nobody wrote: 0.1f is 0.10000000149011612 as a double.
        return spell(number instanceof Float ? Double.parseDouble(number.toString()) : number.doubleValue());
    }

    static String spell(double value) {
        if (Double.isNaN(value)) return "NaN";
        if (Double.isInfinite(value)) return value > 0 ? "Infinity" : "-Infinity";
        if (value == 0) return "0";
        if (value < 0) return "-" + spell(-value);
        if (value == (int) value) return Integer.toString((int) value);
        return arrange(shortest(value));
    }

    /** The decimal with the fewest digits that reads back as this value; of several, the nearest. */
    private static BigDecimal shortest(double value) {
        BigDecimal exact = new BigDecimal(value);
        int digits = Math.min(MOST_DIGITS, new BigDecimal(Double.toString(value)).stripTrailingZeros().precision());
        BigDecimal found = nearest(exact, value, digits);
        if (found == null) return exact.round(new MathContext(MOST_DIGITS, RoundingMode.HALF_EVEN)).stripTrailingZeros();
        while (digits > 1) {
            digits -= 1;
            BigDecimal shorter = nearest(exact, value, digits);
            if (shorter == null) break;
            found = shorter;
        }
        return found.stripTrailingZeros();
    }

    /**
     * Both neighbours are tried: at a power of two the values that read back reach further up than down, so that the
     * nearer neighbour may lead elsewhere while the other one leads back.
     */
    private static BigDecimal nearest(BigDecimal exact, double value, int digits) {
        BigDecimal below = exact.round(new MathContext(digits, RoundingMode.DOWN));
        BigDecimal above = exact.round(new MathContext(digits, RoundingMode.UP));
        boolean isBelow = below.doubleValue() == value;
        boolean isAbove = above.doubleValue() == value;
        if (isBelow && isAbove) return exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
        if (isBelow) return below;
        return isAbove ? above : null;
    }

    /** Plain from 1e-6 to below 1e21, else with an exponent. */
    private static String arrange(BigDecimal decimal) {
        String digits = decimal.unscaledValue().toString();
        int count = digits.length();
        int point = count - decimal.scale();
        if (point > 21 || point <= -6) {
            int exponent = point - 1;
            String fraction = count == 1 ? "" : "." + digits.substring(1);
            return digits.charAt(0) + fraction + "e" + (exponent < 0 ? "-" : "+") + Math.abs(exponent);
        }
        if (point <= 0) return "0." + "0".repeat(-point) + digits;
        if (point >= count) return digits + "0".repeat(point - count);
        return digits.substring(0, point) + "." + digits.substring(point);
    }
}
