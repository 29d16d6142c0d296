/** What clients of the SDK have in common. */

interface Client {
  middlewareStack: { remove: (name: string) => boolean };
}

/** The SDK's logger middleware takes 5 % of a request's CPU time, and logs nothing without a logger. */
export function removeSdkLogger<C extends Client>(client: C): C {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}

/** For services of which one request is a part of a caller's: it still has time left within its 29 s if they hang. */
export const shortTimeouts = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
};
