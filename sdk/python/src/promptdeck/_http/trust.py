"""Verification of the service's certificate."""

from __future__ import annotations

import ssl
from typing import Final
from urllib.parse import urlsplit

import httpx

from .._errors import Invalid

# Codes of OpenSSL's X509_verify_cert.
_NOT_VALID_NOW: Final = frozenset({9, 10})
_OTHER_NAME: Final = frozenset({62, 63, 64})


def tls_context(ca: str | None) -> ssl.SSLContext:
    """Create the TLS context of HTTP and WebSocket. With a CA, only that one is trusted.

    Without one, the default authorities or those of SSL_CERT_FILE are. Raises `Invalid`.
    """
    if ca is None:
        return httpx.create_ssl_context()
    # Verifies chain and host name.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_verify_locations(cadata=ca)
    except (ssl.SSLError, ValueError) as error:
        raise Invalid(f"The CA certificate is damaged ({error}). Copy it again from the trust page.") from None
    return context


def certificate_problem(error: BaseException | None, server: str) -> str | None:
    """Return the message for a failed verification: what is wrong and what to do. None for any other error."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ssl.SSLCertVerificationError):
            return _message(error, server)
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def _message(error: ssl.SSLCertVerificationError, server: str) -> str:
    url = urlsplit(server)
    if error.verify_code in _OTHER_NAME:
        return (
            f"The certificate of {server} is for another name than {url.hostname}. "
            "Use an address that the certificate contains, and check that it is the right server."
        )
    if error.verify_code in _NOT_VALID_NOW:
        return (
            f"The certificate of {server} has expired or is not valid yet. Check the clocks of both machines, then "
            "restart the server, so that it issues a new certificate."
        )
    return (
        f"The certificate of {server} is not trusted ({error.verify_message}). "
        f'Run "promptdeck pair {url.netloc}", or set ca or PROMPTDECK_CA to the CA certificate of the trust page, '
        f"http://{url.netloc}."
    )
