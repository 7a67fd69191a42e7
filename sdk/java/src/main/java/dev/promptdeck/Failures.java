package dev.promptdeck;

import java.util.concurrent.CompletionException;

/** What futures wrap, unwrapped. */
final class Failures {
    private Failures() {}

    /** The error itself, without the wrapping of futures. */
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

    /** The same error with the stack of whoever called: one error may end many calls. */
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
