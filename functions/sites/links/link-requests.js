// What the pages of links share: people without an account open them, and their token is the only credential.

const requestTimeoutMs = 30_000;

class Refused extends Error {
  /**
   * @param {number} status
   * @param {{ details?: unknown } | undefined} body
   */
  constructor(status, body) {
    super(`Status ${status}`);
    this.status = status;
    this.details = Array.isArray(body?.details) ? body.details : [];
  }
}

/**
 * @param {string} path Relative to the page.
 * @param {object} body
 * @param {Record<string, string>} [headers]
 * @throws {import('./types.d.ts').LinkFailure}
 */
export async function post(path, body, headers = {}) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  const answer = await response.json().catch(() => undefined);
  if (!response.ok || !answer) throw new Refused(response.status, answer);
  return answer;
}

/**
 * Why nothing came of it, for a failure that is nobody's typing.
 * @param {import('./types.d.ts').LinkFailure} failure
 */
export function hindrance({ status }) {
  if (status === undefined) return 'The service cannot be reached. Check your connection, then try again.';
  if (status === 429) return 'There were too many tries. Wait a few minutes, then try again.';
  return 'Something went wrong on our side. Try again in a moment.';
}
