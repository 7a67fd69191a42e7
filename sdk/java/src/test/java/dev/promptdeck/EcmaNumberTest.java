package dev.promptdeck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EcmaNumberTest {
    @ParameterizedTest
    @CsvSource({
        "1.0, 1", "-0.0, 0", "1.5, 1.5", "1e21, 1e+21", "123456789012345680000.0, 123456789012345680000",
        "0.000001, 0.000001", "1e-7, 1e-7", "1.5e-9, 1.5e-9", "-1.25e-7, -1.25e-7", "1e100, 1e+100",
        // Numbers that Java 17 formats too long, or not as the nearest (JDK-4511638).
        "2e23, 2e+23", "1.0e23, 1e+23", "2.0e-3, 0.002", "5.684341886080802e-14, 5.684341886080802e-14",
        "8.41e21, 8.41e+21", "2.2250738585072014e-308, 2.2250738585072014e-308", "4.9e-324, 5e-324",
        "1.7976931348623157e308, 1.7976931348623157e+308", "9007199254740993.0, 9007199254740992",
        "2.98023223876953125e-8, 2.9802322387695312e-8"
    })
    void formatsDoublesAsInEcmaScript(double value, String formatted) {
        assertEquals(formatted, EcmaNumber.format(value));
    }

    @Test
    void formatsEveryNumberTypeAsADouble() {
        assertEquals("7", EcmaNumber.format((short) 7));
        assertEquals("9007199254740992", EcmaNumber.format(9007199254740993L));
        assertEquals("12345678901234567000", EcmaNumber.format(new BigInteger("12345678901234567890")));
        assertEquals("0.1", EcmaNumber.format(Float.valueOf(0.1f)));
        assertEquals("0.1", EcmaNumber.format(new BigDecimal("0.10")));
    }

    @Test
    void everyResultParsesToItsValueAndNoShorterOneDoes() {
        Random random = new Random(20261121);
        for (int round = 0; round < 3_000; round++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (!Double.isFinite(value)) continue;
            String formatted = EcmaNumber.format(value);
            assertEquals(value == 0 ? 0 : value, Double.parseDouble(formatted));
            int digits = new BigDecimal(formatted).stripTrailingZeros().precision();
            int digitsOfJava = new BigDecimal(Double.toString(value)).stripTrailingZeros().precision();
            assertEquals(Math.min(digits, digitsOfJava), digits, () -> "longer than Java's own: " + formatted);
        }
    }
}
