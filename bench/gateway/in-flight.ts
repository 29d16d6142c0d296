/** Where a request for a chat completion goes, and with which headers. */
export interface CompletionRoute {
  url: string;
  headers: Record<string, string>;
}

const body = JSON.stringify({
  model: 'generic-openai/echo',
  messages: [
    { role: 'system', content: 'You answer questions about airports in one sentence.' },
    { role: 'user', content: 'Which airport of Kenya lies highest, and how high is it above the sea?' },
  ],
});

export interface Latencies {
  /** Until the whole answer is there, in ms, in ascending order. */
  whole: number[];
  perSecond: number;
}

/** Sends requests, so many at a time, each when another has ended. @throws unless all succeed */
export async function inFlight(
  { url, headers }: CompletionRoute,
  { count, atOnce }: { count: number; atOnce: number },
): Promise<Latencies> {
  const sent = {
    method: 'POST',
    body,
    headers: { ...headers, 'content-type': 'application/json' },
  };
  const whole: number[] = [];
  let left = count;
  const began = performance.now();
  const caller = async () => {
    while (left-- > 0) {
      const at = performance.now();
      // A server may close a connection that was idle between turns at the moment in which it is used again.
      const response = await fetch(url, sent).catch(() => fetch(url, sent));
      const text = await response.text();
      if (response.status !== 200)
        throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`);
      whole.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const seconds = (performance.now() - began) / 1_000;
  return { whole: whole.toSorted((one, other) => one - other), perSecond: count / seconds };
}

export const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
