/** The received signals of telemetry. Metrics are not received. */
export type Signal = 'traces' | 'logs'
/** The encodings of requests and replies. */
export type Encoding = 'protobuf' | 'json'
