import { using } from '../../platform/aws/uses.ts';
import type { SummaryOf } from '../../platform/data/entity.ts';
import { collectRows, type ListSource } from '../../platform/data/lists/listing.ts';
import { type CursorPagination, type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  type Conversation,
  type conversationEntity,
  conversationsOfOwnerPartition,
  conversationsOfTokenPartition,
  conversationsPartition,
} from './conversation.ts';

export interface ConversationFilter {
  source?: Conversation['source'] | undefined;
  surfaceId?: string | undefined;
  clientTokenId?: string | undefined;
  ownerId?: string | undefined;
  flowId?: string | undefined;
  /** In titles and first messages. */
  search?: string | undefined;
}

export type ListedConversation = Pick<Conversation, 'id'> & SummaryOf<typeof conversationEntity>;

interface OffsetPage {
  limit: number;
  offset: number;
}

/** A filtered page reads at most 100,000 index entries. */
const offsetQueriesMax = 100;

/** One reads up to 1 MB of index entries. */
const countQueriesMax = 10;

/** Lists conversations from index entries alone, newest first. */
export const conversationLists = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => ({
  async list(
    filter: ConversationFilter,
    query: CursorQuery,
  ): Promise<{ conversations: ListedConversation[]; pagination: CursorPagination }> {
    const { rows, pagination } = await cursorPage(table, { ...toSource(filter), kind: 'conv' }, query);
    return { conversations: rows as unknown as ListedConversation[], pagination };
  },

  async listByOffset(
    filter: ConversationFilter,
    { limit, offset }: OffsetPage,
  ): Promise<{ conversations: ListedConversation[]; hasMore: boolean }> {
    const search = { wanted: offset + limit + 1, queries: offsetQueriesMax };
    const { found } = await collectRows(table, toSource(filter), search);
    const conversations = found.slice(offset, offset + limit) as unknown as ListedConversation[];
    return { conversations, hasMore: found.length > offset + limit };
  },

  /** How many conversations a client token has; `undefined` if that would read too much. */
  async countByToken(clientTokenId: string): Promise<number | undefined> {
    const range = { partition: conversationsOfTokenPartition(clientTokenId), index: 2 } as const;
    const { count, isMinimum } = await table.countWithin(range, { queries: countQueriesMax });
    return isMinimum ? undefined : count;
  },
}));

/** The smallest index partition that has all matches, and a filter for the rest. */
function toSource({ search, ...filter }: ConversationFilter): ListSource {
  const { clientTokenId, ownerId, ...others } = filter;
  const place =
    clientTokenId !== undefined
      ? { partition: conversationsOfTokenPartition(clientTokenId), index: 2 as const }
      : ownerId !== undefined
        ? { partition: conversationsOfOwnerPartition(ownerId), index: 2 as const }
        : { partition: conversationsPartition, index: 1 as const };
  // Conversations of client tokens have no owner.
  const equal = { ...others, ...(clientTokenId !== undefined && { ownerId }) };
  const values = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined));
  const conditions = [
    ...Object.keys(values).map((name) => `#summary.#${name} = :${name}`),
    ...(search ? ['contains(#summary.#search, :search)'] : []),
  ];
  if (conditions.length === 0) return place;
  const searched = search && { search: search.toLowerCase() };
  return { ...place, filter: { expression: conditions.join(' AND '), values: { ...values, ...searched } } };
}
