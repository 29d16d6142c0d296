/** A step that ran, in a map or elsewhere. */
interface RanStep {
  /** `each[3]/ask` */
  stepPath: string;
  status: string;
  output?: unknown;
  /** USD. */
  cost?: string | null | undefined;
  durationMs?: number | null | undefined;
}

/** What a map did for one of its items. */
export interface ItemRow {
  /** `each[3]`, with the steps around the map. */
  path: string;
  status: string;
  output: unknown;
  cost: number | undefined;
  durationMs: number;
}

/** The item of a map in which a step ran, by the id of the map. */
function itemOf(stepPath: string, mapId: string): string | undefined {
  const parts = stepPath.split('/');
  const at = parts.findIndex((part) => part.startsWith(`${mapId}[`));
  return at === -1 || at === parts.length - 1 ? undefined : parts.slice(0, at + 1).join('/');
}

/**
 * The items of a map in the order in which they began, from the steps of a run in their order.
 * @param mapPath Where the map ran, if it may have run several times.
 */
export function itemRows(steps: readonly RanStep[], mapId: string, mapPath?: string): ItemRow[] {
  const items = new Map<string, RanStep[]>();
  for (const step of steps) {
    const item = itemOf(step.stepPath, mapId);
    if (!item || (mapPath !== undefined && !item.startsWith(`${mapPath}[`))) continue;
    items.set(item, [...(items.get(item) ?? []), step]);
  }
  return [...items].map(([path, ran]) => {
    // One after the other. Theirs is the time and the cost of the steps inside of them.
    const direct = ran.filter(({ stepPath }) => !stepPath.slice(path.length + 1).includes('/'));
    const costs = direct.flatMap(({ cost }) => (cost === undefined || cost === null ? [] : [Number(cost)]));
    return {
      path,
      status: statusOf(ran),
      output: direct.at(-1)?.output,
      cost: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : undefined,
      durationMs: direct.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    };
  });
}

const statusOf = (ran: readonly RanStep[]) =>
  ['failed', 'running'].find((each) => ran.some(({ status }) => status === each)) ?? 'completed';
