/** How often the page shows what has arrived. */
const everyMs = 50;

/** Reads events to their end. Passes on together what arrives within a moment, so that the page is laid out once for it. */
export async function readInBatches<Event>(
  events: AsyncIterable<Event>,
  take: (events: readonly Event[]) => void,
): Promise<void> {
  let arrived: Event[] = [];
  const pass = () => {
    if (arrived.length === 0) return;
    const batch = arrived;
    arrived = [];
    take(batch);
  };
  const timer = setInterval(pass, everyMs);
  try {
    for await (const event of events) arrived.push(event);
  } finally {
    clearInterval(timer);
    pass();
  }
}
