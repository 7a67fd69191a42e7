package dev.promptdeck;

import java.util.concurrent.CompletionException;

/** Unwraps the exceptions of futures. */
final class Failures {
    private Failures() {}

    /** Returns the original error of a future. */
    static Throwable cause(Throwable error) {
        Throwable cause = error;
        while (cause instanceof CompletionException && cause.getCause() != null) cause = cause.getCause();
        return cause;
    }

    static PromptdeckException of(Throwable error) {
        Throwable cause = cause(error);
        if (cause instanceof PromptdeckException ours) return ours;
        return new UnavailableException("The client failed: " + cause + ".", cause);
    }

    /** Returns a copy of the error with the caller's stack trace, because one error may end several calls. */
    static PromptdeckException here(PromptdeckException error) {
        String message = error.getMessage();
        return switch (error.code()) {
            case "Invalid" -> new InvalidException(message, error);
            case "NotFound" -> new NotFoundException(message, error);
            case "Unauthorized" -> new UnauthorizedException(message, error);
            case "Forbidden" -> new ForbiddenException(message, error);
            case "Closed" -> new ClosedException(message, error);
            default -> new UnavailableException(message, error);
        };
    }
}
