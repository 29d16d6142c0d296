import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { usageMonths } from './usage-days.ts';
import { splitModel } from './usage-report.ts';

export interface RecentUse {
  usageCount: number;
  lastUsedAt: string;
}

const monthsRead = 12;

/** The use of models and provider keys in this month and the eleven before, in one Query for each MB of counters. */
export const recentUse = /* @__PURE__ */ using([usageMonths], (scope: Scope) => {
  async function useBy(nameOf: (month: Month) => string | undefined): Promise<Map<string, RecentUse>> {
    const now = scope.now();
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsRead + 1));
    const [from, to] = [first, now].map((date) => date.toISOString().slice(0, 7)) as [string, string];
    const uses = new Map<string, RecentUse>();
    for (const month of await usageMonths(scope)(null, from, to)) {
      const name = nameOf(month);
      if (name === undefined) continue;
      const { usageCount = 0, lastUsedAt = '' } = uses.get(name) ?? {};
      uses.set(name, {
        usageCount: usageCount + month.days.reduce((sum, { calls }) => sum + calls, 0),
        lastUsedAt: lastUsedAt > month.lastAt ? lastUsedAt : month.lastAt,
      });
    }
    return uses;
  }

  return {
    /** By the id of the provider key. */
    ofKeys: () => useBy(({ providerKeyId }) => providerKeyId),

    /** The most recently used model first. */
    async readModels() {
      const uses = [...(await useBy(({ model }) => model))].map(([model, use]) => ({
        ...splitModel(model),
        ...use,
      }));
      return uses.toSorted((one, other) => (one.lastUsedAt < other.lastUsedAt ? 1 : -1));
    },
  };
});

type Month = Awaited<ReturnType<ReturnType<typeof usageMonths>>>[number];
