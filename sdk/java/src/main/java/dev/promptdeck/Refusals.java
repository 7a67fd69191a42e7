package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;

/** Converts error replies to exceptions. */
final class Refusals {
    private final Token token;

    Refusals(Token token) {
        this.token = token;
    }

    PromptdeckException of(Reply reply) {
        String said = said(reply);
        return switch (reply.status()) {
            case 401 -> new UnauthorizedException("The service does not know the token. Give a valid one." + said);
            case 403 -> new ForbiddenException("The token may not do that. Give one with the right role, workspace and"
                    + " environment." + said);
            case 404 -> new NotFoundException("Nothing is served there. See that it is published." + said);
            case 429 -> new UnavailableException("The service asks to slow down. Try again later." + said);
            default -> isRefused(reply.status())
                    ? new InvalidException("The service refused the request (" + reply.status() + "). Correct it." + said)
                    : new UnavailableException("The service cannot answer now (" + reply.status() + "). Try again later."
                            + said);
        };
    }

    /** Returns true if the request itself is wrong, so that a retry does not help. */
    private static boolean isRefused(int status) {
        return status >= 400 && status < 500 && status != 408 && status != 425;
    }

    /** Returns the service's explanation as the end of a message; empty if it gave none. */
    String said(Reply reply) {
        JsonNode problem = reply.json();
        String detail = problem == null ? null : Json.text(problem, "detail");
        String requestId = problem == null ? null : Json.text(problem, "request_id");
        if (requestId == null) requestId = reply.header("x-request-id");
        String text = (detail == null ? "" : " It said: " + detail)
                + (requestId == null ? "" : " (request_id " + requestId + ")");
        return token.hide(text);
    }
}
