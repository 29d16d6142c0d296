import { type Priority, priorities } from '../../../domain/runs/priority.ts';

const weights: Record<Priority, number> = { high: 8, normal: 3, low: 1 };

export interface SlotDemand {
  /** How many slots the batch can use. */
  slots: number;
  priority: Priority;
}

/**
 * Divides slots between batches: first between the priorities, by their weights and up to what they can use, then within
 * each to the oldest batch first. Every batch has one at the least, which may exceed the slots that there are.
 * @param demands The oldest first. @returns the slots of each.
 */
export function slotShares(demands: readonly SlotDemand[], slots: number): number[] {
  const left = sharesOfPriorities(demands, slots);
  return demands.map(({ slots: wanted, priority }) => {
    const granted = Math.min(wanted, left[priority]);
    left[priority] -= granted;
    return Math.max(1, granted);
  });
}

/** The method of Sainte-Laguë: the next slot goes to the priority that has the fewest for its weight. */
function sharesOfPriorities(demands: readonly SlotDemand[], slots: number): Record<Priority, number> {
  const shares = { high: 0, normal: 0, low: 0 };
  const wanted = { high: 0, normal: 0, low: 0 };
  for (const demand of demands) wanted[demand.priority] += demand.slots;
  for (let left = slots; left > 0; left--) {
    const claim = (priority: Priority) => weights[priority] / (2 * shares[priority] + 1);
    const [next] = priorities
      .filter((priority) => shares[priority] < wanted[priority])
      .toSorted((a, b) => claim(b) - claim(a));
    if (!next) break;
    shares[next]++;
  }
  return shares;
}
