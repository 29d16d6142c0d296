interface Waiting {
  start: () => void;
}

/** A free slot goes to the waiting tenant with the fewest slots, then to the one that waited longest. */
export function makeFairQueue({ places, placesPerTenant }: { places: number; placesPerTenant: number }) {
  const queues = new Map<string, Waiting[]>();
  const taken = new Map<string, number>();
  let free = places;

  const countSlots = (tenant: string) => taken.get(tenant) ?? 0;

  function next(): string | undefined {
    let chosen: string | undefined;
    for (const tenant of queues.keys()) {
      if (countSlots(tenant) >= placesPerTenant) continue;
      if (chosen === undefined || countSlots(tenant) < countSlots(chosen)) chosen = tenant;
    }
    return chosen;
  }

  function occupy(tenant: string): void {
    free--;
    taken.set(tenant, countSlots(tenant) + 1);
  }

  function release(tenant: string): void {
    free++;
    const left = countSlots(tenant) - 1;
    if (left > 0) taken.set(tenant, left);
    else taken.delete(tenant);
    startNext();
  }

  function startNext(): void {
    for (let tenant = next(); free > 0 && tenant !== undefined; tenant = next()) {
      const queue = queues.get(tenant) ?? [];
      const first = queue.shift();
      // Moves the tenant to the end of the map.
      queues.delete(tenant);
      if (queue.length > 0) queues.set(tenant, queue);
      if (!first) continue;
      occupy(tenant);
      first.start();
    }
  }

  return {
    /** Waits for a slot. @returns the function that releases it. @throws the signal's reason if it is aborted first. */
    take(tenant: string, signal?: AbortSignal): Promise<() => void> {
      signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const queue = queues.get(tenant) ?? [];
        queues.set(tenant, queue);
        const waiting: Waiting = {
          start() {
            signal?.removeEventListener('abort', leave);
            resolve(() => release(tenant));
          },
        };
        const leave = () => {
          queue.splice(queue.indexOf(waiting), 1);
          if (queue.length === 0) queues.delete(tenant);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', leave, { once: true });
        queue.push(waiting);
        startNext();
      });
    },
  };
}
