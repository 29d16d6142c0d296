/** Unix ms that never go back: if the clock of the machine is set back, they go on from where they were (D180). */
export function forwardClock(wall: () => number = () => Date.now()): () => number {
  let last = wall();
  let ahead = 0;
  return () => {
    const now = wall() + ahead;
    if (now < last) ahead += last - now;
    last = Math.max(last, now);
    return last;
  };
}
