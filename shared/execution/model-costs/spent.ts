import Big from 'big.js';
import type { Warning } from '../../core/warnings.ts';

export interface Spent {
  inputTokens: number;
  outputTokens: number;
  /** Parts of the two; missing if there are none. */
  cachedInputTokens?: number;
  reasoningTokens?: number;
  /** USD as decimal text; null if a model call has no known price. */
  cost: string | null;
  /** USD that caches of providers saved; missing if that is nothing. */
  cacheSavings?: string;
  /** The tool calls that code made, by the id of the tool. */
  codeCalls?: Readonly<Record<string, number>>;
  /** What went otherwise than asked in the meantime; missing if nothing did. */
  warnings?: readonly Warning[];
}

export const nothingSpent: Spent = { inputTokens: 0, outputTokens: 0, cost: '0' };

export const plusSpent = (one: Spent, other: Spent): Spent => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  ...tokenParts({
    cachedInputTokens: (one.cachedInputTokens ?? 0) + (other.cachedInputTokens ?? 0),
    reasoningTokens: (one.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0),
  }),
  ...toCacheSavings(new Big(one.cacheSavings ?? 0).plus(other.cacheSavings ?? 0)),
  cost: one.cost === null || other.cost === null ? null : new Big(one.cost).plus(other.cost).toFixed(),
});

/** The member of what has warnings, if there are any. */
export const withWarnings = (warnings: readonly Warning[]): { warnings?: readonly Warning[] } =>
  warnings.length > 0 ? { warnings } : {};

export const toCacheSavings = (cacheSavings: Big): Pick<Spent, 'cacheSavings'> =>
  cacheSavings.eq(0) ? {} : { cacheSavings: cacheSavings.toFixed() };

type Parts = Required<Pick<Spent, 'cachedInputTokens' | 'reasoningTokens'>>;

export const tokenParts = ({ cachedInputTokens, reasoningTokens }: Parts): Partial<Parts> => ({
  ...(cachedInputTokens > 0 && { cachedInputTokens }),
  ...(reasoningTokens > 0 && { reasoningTokens }),
});
