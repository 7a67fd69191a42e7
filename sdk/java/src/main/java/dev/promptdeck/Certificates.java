package dev.promptdeck;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Verifies the service's certificate. */
final class Certificates {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----");

    private Certificates() {}

    /** Returns CA certificates as PEM text, given as text or as the path of a PEM file. */
    static String read(String textOrPath) {
        if (textOrPath.isBlank()) {
            throw new InvalidException(
                    "ca is empty. Set it to the CA certificate as PEM text, or to the path of a PEM file.");
        }
        if (BLOCK.matcher(textOrPath).find()) return textOrPath;
        try {
            String text = Files.readString(Path.of(textOrPath));
            if (BLOCK.matcher(text).find()) return text;
        } catch (IOException | InvalidPathException e) {
            throw new InvalidException(
                    "The CA certificate cannot be read: " + e.getMessage() + ". Check the path in ca or PROMPTDECK_CA.",
                    e);
        }
        throw new InvalidException(textOrPath + " contains no certificate. Set ca or PROMPTDECK_CA to a PEM file.");
    }

    /**
     * Creates the TLS context of HTTP and WebSocket. It does not use the default context, which other code may replace.
     *
     * @param ca the only trusted CA certificates; null for those of the Java runtime
     */
    static SSLContext context(String ca) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, ca == null ? null : trusting(ca), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new InvalidException(
                    "The CA certificate is damaged (" + e.getMessage() + "). Copy it again from the trust page.", e);
        }
    }

    /** Requires the host name of each certificate, regardless of system properties. */
    static SSLParameters parameters() {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        return parameters;
    }

    private static TrustManager[] trusting(String ca) throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> authorities = new ArrayList<>();
        Set<TrustAnchor> anchors = new HashSet<>();
        Matcher block = BLOCK.matcher(ca);
        while (block.find()) {
            byte[] bytes = block.group().getBytes(StandardCharsets.US_ASCII);
            X509Certificate authority = (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(bytes));
            authorities.add(authority);
            anchors.add(new TrustAnchor(authority, null));
        }
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
        // A private CA publishes no lists of revoked certificates.
        parameters.setRevocationEnabled(false);
        TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(new CertPathTrustManagerParameters(parameters));
        return Arrays.stream(managers.getTrustManagers())
                .map(manager -> new ConstrainedTrust((X509ExtendedTrustManager) manager, authorities))
                .toArray(TrustManager[]::new);
    }

    /**
     * Returns the message for a failed verification: what is wrong and what to do.
     *
     * @return null for any other error
     */
    static String problem(Throwable error, URI server) {
        boolean isOfTls = false;
        CertificateException reason = null;
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException) {
                return "The certificate of " + server + " has expired or is not valid yet. Check the clocks of both"
                        + " machines, then restart the server, so that it issues a new certificate.";
            }
            isOfTls = isOfTls || cause instanceof SSLException;
            if (reason == null && cause instanceof CertificateException found) reason = found;
        }
        if (!isOfTls || reason == null) return null;
        return isOfName(reason) ? otherName(server) : untrusted(server);
    }

    /** Only the check of the name throws this class; the check of the chain throws subclasses. */
    private static boolean isOfName(CertificateException reason) {
        return reason.getClass() == CertificateException.class
                && String.valueOf(reason.getMessage()).startsWith("No ");
    }

    private static String otherName(URI server) {
        return "The certificate of " + server + " is for another name than " + server.getHost()
                + ". Use an address that the certificate contains, and check that it is the right server.";
    }

    private static String untrusted(URI server) {
        return "The certificate of " + server + " is not trusted. Run \"promptdeck pair " + server.getAuthority()
                + "\", or set ca or PROMPTDECK_CA to the CA certificate of the trust page, http://"
                + server.getAuthority() + ".";
    }
}
