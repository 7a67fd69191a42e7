package dev.promptdeck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorTypeTest {
    @ParameterizedTest
    @CsvSource({
        "RateLimitError, rate_limit_error",
        "IOException, io_exception",
        "HTTPError, http_error",
        "Http2Error, http2_error",
        "_Odd$Name, odd_name",
        "Ärger, rger",
        "Ω, error"
    })
    void isAcceptedByTheService(String name, String expected) {
        assertEquals(expected, ErrorType.snake(name));
    }

    @Test
    void anAnonymousClassHasTheNameOfItsParent() {
        assertEquals("illegal_state_exception", ErrorType.of(new IllegalStateException() {
            private static final long serialVersionUID = 1L;
        }));
    }
}
