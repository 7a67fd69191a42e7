package dev.promptdeck;

import java.net.URI;
import java.util.Map;

/**
 * The service to connect to.
 *
 * @param server the base URL, without a trailing slash
 * @param token null for none
 * @param ca the only trusted CA certificates as PEM text; null for those of the Java runtime
 */
record Target(URI server, String token, String ca) {
    private static final String THIS_MACHINE = "http://127.0.0.1:4780";

    /**
     * Returns the given address or that of the environment, else a server that {@code promptdeck pair} stored, else
     * this machine. Arguments are null if they are not given.
     */
    static Target of(String server, String token, String ca, Map<String, String> environment) {
        String givenToken = either(token, environment, "PROMPTDECK_TOKEN");
        String givenCa = either(ca, environment, "PROMPTDECK_CA");
        String name = either(null, environment, "PROMPTDECK_SERVER");
        String address = either(server, environment, "PROMPTDECK_URL");
        if (address == null && name != null && name.contains("://")) address = name;
        StoredServers.Server stored = null;
        // A token or CA without an address is for this machine, unless a stored server is named.
        boolean isStored = address == null && (name != null || givenToken == null && givenCa == null);
        if (isStored) stored = StoredServers.find(name, environment);
        if (stored != null) {
            address = stored.address();
            if (givenToken == null) givenToken = stored.token();
        }
        URI url = ClientOptions.serverOf(address == null ? THIS_MACHINE : address);
        String trusted = givenCa != null ? Certificates.read(givenCa) : stored == null ? null : stored.ca();
        if (trusted != null && !isSecure(url)) {
            throw new InvalidException(
                    "ca is set, but the address of the service is not https. Use https, or remove ca.");
        }
        return new Target(url, ClientOptions.token(givenToken), trusted);
    }

    static boolean isSecure(URI url) {
        return "https".equalsIgnoreCase(url.getScheme());
    }

    private static String either(String value, Map<String, String> environment, String variable) {
        if (value != null) return value;
        String found = environment.get(variable);
        return found == null || found.isEmpty() ? null : found;
    }
}
