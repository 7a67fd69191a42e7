package dev.promptdeck;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Numbers as ECMAScript formats them (ECMA-262, Number::toString), so that a rendered text is the same in all
 * clients. {@link Double#toString} is not enough: before Java 19 its digits are not always the shortest
 * (JDK-4511638).
 */
final class EcmaNumber {
    /** Number of digits that suffices to distinguish any double from all others. */
    private static final int MAX_DIGITS = 17;

    private EcmaNumber() {}

    /** Formats a number as a double, as the service does: whole numbers beyond 2^53 are rounded. */
    static String format(Number number) {
        // Widening a float would add digits: 0.1f is 0.10000000149011612 as a double.
        return format(number instanceof Float ? Double.parseDouble(number.toString()) : number.doubleValue());
    }

    static String format(double value) {
        if (Double.isNaN(value)) return "NaN";
        if (Double.isInfinite(value)) return value > 0 ? "Infinity" : "-Infinity";
        if (value == 0) return "0";
        if (value < 0) return "-" + format(-value);
        if (value == (int) value) return Integer.toString((int) value);
        return arrange(shortest(value));
    }

    /** Returns the decimal with the fewest digits that parses to this value; if there are several, the nearest. */
    private static BigDecimal shortest(double value) {
        BigDecimal exact = new BigDecimal(value);
        int digits = Math.min(MAX_DIGITS, new BigDecimal(Double.toString(value)).stripTrailingZeros().precision());
        BigDecimal found = nearest(exact, value, digits);
        if (found == null) return exact.round(new MathContext(MAX_DIGITS, RoundingMode.HALF_EVEN)).stripTrailingZeros();
        while (digits > 1) {
            digits -= 1;
            BigDecimal shorter = nearest(exact, value, digits);
            if (shorter == null) break;
            found = shorter;
        }
        return found.stripTrailingZeros();
    }

    /**
     * Returns a decimal with that many digits that parses to the value, or null. Tries both neighbours: at a power of
     * two the interval of values that parse to it is asymmetric, so that only the farther neighbour may match.
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

    /** Formats without an exponent from 1e-6 to below 1e21, else with one. */
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
