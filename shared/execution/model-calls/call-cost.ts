/**
 * The arithmetic of what a model call may cost: at most, and what a budget pays for.
 * Bounds are for decisions before a call (reservations, shortened responses), so they are never too low for a known
 * price. What calls reported is a `Spending` (`adapters/ports/spending.ts`).
 * A `PricedCall` is what an account is asked for (`pipeline.ts`): the budgets of a tenant with an upper bound of the
 * input, the `maxCost` of a run with an estimate (`agent-loop/run-budget.ts`).
 */
import Big from 'big.js';
import { tokensOfMessage } from '../../adapters/models/usage.ts';
import type { ModelLimits, ModelMessage, ModelRequest, PriceTier } from '../../adapters/ports/model-port.ts';

export interface NextCall {
  /** Estimated. */
  inputTokens: number;
  /** The limit that the request states for the response. */
  maxTokens?: number | undefined;
}

/** A response of fewer tokens says nothing. */
const responseTokensMin = 256;

const perToken = new Big('0.000001');

/** The longest response that a call may have; undefined if nothing limits it. */
export function getLongestResponse(
  { inputTokens, maxTokens }: NextCall,
  limits: ModelLimits,
): number | undefined {
  const { contextTokens, outputTokens } = limits;
  const left = contextTokens === undefined ? undefined : Math.max(0, contextTokens - inputTokens);
  const bounds = [maxTokens ?? limits.maxTokens, outputTokens, left].filter((each) => each !== undefined);
  return bounds.length > 0 ? Math.min(...bounds) : undefined;
}

/**
 * The highest cost of a call in USD, with the longest response and no use of a cache; undefined if its price or the
 * length of its response has no known limit.
 */
export function getWorstCaseCost(call: NextCall, limits: ModelLimits): Big | undefined {
  const output = getLongestResponse(call, limits);
  const tier = findTier(call, limits);
  if (output === undefined || !tier) return undefined;
  return priceInput(call, tier).plus(new Big(tier.output).times(output).times(perToken));
}

/**
 * The longest response that a budget in USD pays for, after the input; 0 if it does not even pay for that. Undefined if
 * the price is unknown, or if the response costs nothing.
 */
export function getAffordableTokens(budget: Big, call: NextCall, limits: ModelLimits): number | undefined {
  const tier = findTier(call, limits);
  if (!tier || new Big(tier.output).eq(0)) return undefined;
  const left = budget.minus(priceInput(call, tier));
  if (left.lte(0)) return 0;
  return left.div(new Big(tier.output).times(perToken)).round(0, Big.roundDown).toNumber();
}

const priceInput = ({ inputTokens }: NextCall, { input }: PriceTier) =>
  new Big(input).times(inputTokens).times(perToken);

const findTier = ({ inputTokens }: NextCall, { prices = [] }: ModelLimits): PriceTier | undefined =>
  prices
    .filter(({ above }) => above === 0 || inputTokens > above)
    .toSorted((one, other) => other.above - one.above)[0];

/** What a call is about to cost: as much as it would, and the least with which it is made. USD. */
export interface Cost {
  wanted: Big;
  least: Big;
}

export interface PricedCall {
  cost: Cost;
  /** How long its response may be for an amount in USD; undefined if the request states that itself. */
  responseFor: (amount: Big) => number | undefined;
}

/** What a call may cost at most, and with the shortest response; undefined if its price is not known. */
export function priceCall(call: NextCall, limits: ModelLimits): PricedCall | undefined {
  // No budget pays for a response without a limit, unless it is free.
  const longest = getLongestResponse(call, limits) ?? Number.MAX_SAFE_INTEGER;
  const price = (maxTokens: number) => getWorstCaseCost({ ...call, maxTokens }, limits);
  const [wanted, least] = [price(longest), price(Math.min(longest, responseTokensMin))];
  if (wanted === undefined || least === undefined) return undefined;
  return {
    cost: { wanted, least },
    responseFor: (amount) => Math.min(getAffordableTokens(amount, call, limits) ?? longest, longest),
  };
}

const priceWhole = (cost: Big): PricedCall => ({
  cost: { wanted: cost, least: cost },
  responseFor: () => undefined,
});

/** Roles and separators. */
const tokensPerPart = 8;
/** The instructions that providers add for the calling of tools. */
const tokensForTools = 512;

/** Of a model of which no longest response is known. */
const responseTokensDefault = 16_384;

/** With an upper bound of its input. Of a request that states no limit for its response, a shorter one does. */
export function priceRequest(request: ModelRequest, modelLimits: ModelLimits): PricedCall | undefined {
  const { outputTokens = modelLimits.contextTokens ?? responseTokensDefault } = modelLimits;
  // The bound for the input is too high to say how much of the context is left.
  const limits = { ...modelLimits, outputTokens, contextTokens: undefined };
  const maxTokens = request.settings?.maxTokens;
  const call = priceCall({ inputTokens: boundRequestTokens(request), maxTokens }, limits);
  return call && maxTokens !== undefined ? priceWhole(call.cost.wanted) : call;
}

export function priceTexts(texts: readonly string[], limits: ModelLimits): PricedCall | undefined {
  const inputTokens = texts.reduce((sum, text) => sum + countBytes(text) + tokensPerPart, 0);
  const cost = getWorstCaseCost({ inputTokens, maxTokens: 0 }, limits);
  return cost && priceWhole(cost);
}

/** An upper bound: no token is shorter than a byte of UTF-8 (D70). */
function boundRequestTokens({ messages, tools = [], format }: ModelRequest): number {
  const ofTools = tools.reduce(
    (sum, tool) => sum + countBytes(JSON.stringify(tool)) + tokensPerPart,
    tools.length > 0 ? tokensForTools : 0,
  );
  const ofFormat = format?.type === 'json' && format.schema ? countBytes(JSON.stringify(format.schema)) : 0;
  return messages.reduce((sum, each) => sum + boundTokens(each), tokensPerPart + ofTools + ofFormat);
}

/** Files have an estimate, which providers charge at most. */
function boundTokens({ role, content }: ModelMessage): number {
  if (typeof content === 'string') return countBytes(content) + tokensPerPart;
  return content.reduce((sum: number, part) => {
    if (part.type === 'file') return sum + tokensOfMessage({ role: 'user', content: [part] });
    return sum + countBytes(JSON.stringify({ role, part })) + tokensPerPart;
  }, 0);
}

const countBytes = (text: string) => Buffer.byteLength(text);
