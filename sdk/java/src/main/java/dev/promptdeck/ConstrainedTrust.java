package dev.promptdeck;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Applies the name constraints of trusted CA certificates, which Java ignores. A CA certificate at the end of the chain,
 * with its own key as the anchor, is an ordinary member of the path, whose constraints count (RFC 5280, 6.1.4).
 */
final class ConstrainedTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager chains;
    private final List<X509Certificate> authorities;

    ConstrainedTrust(X509ExtendedTrustManager chains, List<X509Certificate> authorities) {
        this.chains = chains;
        this.authorities = authorities;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        chains.checkServerTrusted(chain, authType, engine);
        checkConstraints(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        chains.checkServerTrusted(chain, authType, socket);
        checkConstraints(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        chains.checkServerTrusted(chain, authType);
        checkConstraints(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        chains.checkClientTrusted(chain, authType, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        chains.checkClientTrusted(chain, authType, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        chains.checkClientTrusted(chain, authType);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return chains.getAcceptedIssuers();
    }

    /** Throws unless the chain leads to one of the authorities within its constraints. */
    private void checkConstraints(X509Certificate[] chain) throws CertificateException {
        GeneralSecurityException last = null;
        for (X509Certificate authority : authorities) {
            try {
                validate(chain, authority);
                return;
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw new OutsideConstraints(last);
    }

    private static void validate(X509Certificate[] chain, X509Certificate authority) throws GeneralSecurityException {
        List<X509Certificate> path = new ArrayList<>();
        for (X509Certificate certificate : chain) if (!certificate.equals(authority)) path.add(certificate);
        path.add(authority);
        TrustAnchor anchor = new TrustAnchor(authority.getSubjectX500Principal(), authority.getPublicKey(), null);
        PKIXParameters parameters = new PKIXParameters(Set.of(anchor));
        parameters.setRevocationEnabled(false);
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        CertPathValidator.getInstance("PKIX").validate(factory.generateCertPath(path), parameters);
    }

    /** A certificate for a name that its authority may not certify. */
    private static final class OutsideConstraints extends CertificateException {
        private static final long serialVersionUID = 1;

        OutsideConstraints(GeneralSecurityException cause) {
            super("The certificate is outside the name constraints of its authority", cause);
        }
    }
}
