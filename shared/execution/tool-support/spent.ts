import Big from 'big.js';

export interface Spent {
  inputTokens: number;
  outputTokens: number;
  /** USD as decimal text; null if a model call has no known price. */
  cost: string | null;
  /** The tool calls that code made, by the id of the tool. */
  codeCalls?: Readonly<Record<string, number>>;
}

export const nothingSpent: Spent = { inputTokens: 0, outputTokens: 0, cost: '0' };

export const plusSpent = (one: Spent, other: Spent): Spent => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cost: one.cost === null || other.cost === null ? null : new Big(one.cost).plus(other.cost).toFixed(),
});
