import { idCeiling, idFloor } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { collectRows, type ListSource } from '../../platform/data/lists/listing.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent } from '../../platform/data/writes.ts';
import { countResponseBytes } from '../../platform/http/responses/body-sizes.ts';
import type { RunKind } from '../runs/run.ts';
import {
  allFeedbackPartition,
  feedbackOfRunPartition,
  type RunFeedback,
  runFeedbackEntity,
} from './run-feedback.ts';

export interface FeedbackFilter {
  runId?: string | undefined;
  /** Those that the caller may read. */
  kinds: readonly RunKind[];
  flowId?: string | undefined;
  agentId?: string | undefined;
  rating?: number | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

interface FeedbackPage {
  /** Newest first. There may be fewer than asked for, or none, before the end of the list. */
  data: RunFeedback[];
  /** The last one that was read, if there are more. */
  stoppedAt: string | undefined;
}

/** A page takes at most as many Queries, and one request for the items that it shows. */
const queriesMax = 10;
/** Of a response of 5 MB, as Lambda counts it. */
const pageBytesMax = 4_000_000;

export const runFeedbackStore = /* @__PURE__ */ using(
  ['table:write', 'table:delete'],
  ({ table, now, newId }: Scope) => ({
    async create(input: Omit<RunFeedback, 'id' | 'createdAt'>): Promise<string> {
      const id = newId('feedback');
      const expected = input.expected === undefined ? undefined : JSON.stringify(input.expected);
      const item = { ...input, expected, id, createdAt: now().toISOString() };
      await table.commit([table.writes.put(runFeedbackEntity, item, absent)]);
      return id;
    },

    async list(
      filter: FeedbackFilter,
      { limit, cursor }: { limit: number; cursor: string | undefined },
    ): Promise<FeedbackPage> {
      const search = { wanted: limit + 1, cursor, queries: queriesMax };
      const { found, stoppedAt } = await collectRows(table, toSource(filter), search);
      const ids = found.slice(0, limit).map(({ id }) => String(id));
      const items =
        ids.length === 0 ? [] : await table.getMany(ids.map((id) => runFeedbackEntity.key({ id })));
      let [bytes, last] = [0, ids.length];
      const data: RunFeedback[] = [];
      for (const [index, item] of items.entries()) {
        const [feedback] = decodeReadable(runFeedbackEntity, [item]);
        if (!feedback) continue;
        bytes += countResponseBytes(feedback);
        if (bytes > pageBytesMax && data.length > 0) {
          last = index;
          break;
        }
        data.push(feedback);
      }
      const isCut = last < ids.length || found.length > limit;
      return { data, stoppedAt: isCut ? ids[last - 1] : stoppedAt };
    },

    get: (id: string): Promise<RunFeedback | undefined> =>
      table.get(runFeedbackEntity, { id }, { consistent: true }),

    remove: (id: string): Promise<void> => table.removeAll([runFeedbackEntity.key({ id })]),
  }),
);

function toSource({ runId, kinds, from, to, ...equal }: FeedbackFilter): ListSource {
  const place = runId
    ? { partition: feedbackOfRunPartition(runId), index: 1 as const }
    : { partition: allFeedbackPartition, index: 2 as const };
  const values = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined));
  const kindValues = Object.fromEntries(kinds.map((kind) => [`is_${kind}`, kind]));
  const kindNames = Object.keys(kindValues).map((name) => `:${name}`);
  const conditions = [
    ...Object.keys(values).map((name) => `#summary.#${name} = :${name}`),
    ...(runId ? [] : [`#summary.#kind IN (${kindNames.join(', ')})`]),
  ];
  return {
    ...place,
    ...(from && { from: idFloor('feedback', from.getTime()) }),
    ...(to && { to: idCeiling('feedback', to.getTime()) }),
    ...(conditions.length > 0 && {
      filter: { expression: conditions.join(' AND '), values: { ...values, ...(!runId && kindValues) } },
      passesMost: Object.keys(values).length === 0,
    }),
  };
}

/** What runs go with. */
export type RunSubject = { flowId: string } | { agentId: string } | { toolId: string };

/** Deletes the feedback on what is deleted. What visitors sent remains in their conversations. */
export const feedbackRemover = /* @__PURE__ */ using(
  ['table:write', 'table:delete'],
  ({ table }: Pick<Scope, 'table'>) => ({
    ofRun: (runId: string) => table.removeRange({ partition: feedbackOfRunPartition(runId), index: 1 }),

    /** On all runs of a flow, an agent or a tool. Reads the index entries of all feedback of the tenant. */
    removeByOwner(owner: RunSubject): Promise<void> {
      const [[name, id]] = Object.entries(owner) as [[string, string]];
      const filter = { expression: `#summary.#${name} = :owner`, values: { owner: id } };
      return table.removeRange({ partition: allFeedbackPartition, index: 2, filter });
    },
  }),
);
