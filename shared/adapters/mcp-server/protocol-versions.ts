/** Those without batches, which would be several calls in one request (D198). */
export const protocolVersions = ['2026-07-28', '2025-11-25', '2025-06-18'];
