package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;

/** Converts error replies to exceptions. */
final class ErrorReplies {
    private final Token token;

    ErrorReplies(Token token) {
        this.token = token;
    }

    PromptdeckException of(Reply reply) {
        String explanation = explanation(reply);
        return switch (reply.status()) {
            case 401 -> new UnauthorizedException("The service rejected the token, or requires one."
                    + " Set PROMPTDECK_TOKEN, or call setToken." + explanation);
            case 403 -> new ForbiddenException("The token does not allow this request. Use one with the required role,"
                    + " workspace and environment." + explanation);
            case 404 -> reply.isNotFound()
                    ? new NotFoundException("Not found. Check that the prompt is published." + explanation)
                    : new UnavailableException(
                            "Not found. Check that server is the address of a Promptdeck service." + explanation);
            case 429 -> new UnavailableException("Too many requests. Try again later." + explanation);
            default -> isRejected(reply.status())
                    ? new InvalidException("The service rejected the request (" + reply.status() + ")." + explanation)
                    : new UnavailableException("The service cannot reply now (" + reply.status() + "). Try again later."
                            + explanation);
        };
    }

    /** Returns true if the request itself is wrong, so that a retry does not help. */
    static boolean isRejected(int status) {
        return status == 400 || status == 413 || status == 422;
    }

    /** Returns the service's explanation as the end of a message; empty if it gave none. */
    String explanation(Reply reply) {
        JsonNode problem = reply.json();
        String detail = problem == null ? null : Json.text(problem, "detail");
        String requestId = problem == null ? null : Json.text(problem, "request_id");
        if (requestId == null) requestId = reply.header("x-request-id");
        String text = (detail == null ? "" : " Reason: " + detail)
                + (requestId == null ? "" : " (request_id " + requestId + ")");
        return token.redact(text);
    }
}
