/** For services of which one request is a part of a caller's: it still has time left within its 29 s if they hang. */
export const shortTimeouts = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
};
