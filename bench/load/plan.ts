import { parseArgs } from 'node:util';
import { OperationError } from '../../infra/operations/deployment/operation.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';

const usage = `npm run load [-- --scenario read] [--rate 50 | --concurrency 10] [--requests 500 | --seconds 10] [--json]
  scenarios: ${Object.entries(scenarios)
    .map(([name, { what }]) => `${name} (${what})`)
    .join(', ')}
  --rate: requests a second, sent on time however slow the responses are; --concurrency: each sends the next when it has a response
  --url, --key: a running service, in place of a new one in memory (the variable LOAD_KEY hides the key from other users)
  --records: how many records each run of the scenario "run" has
  --yes: allows more than 200 requests to another machine`;

const bounds = { rate: 500, concurrency: 200, requests: 100_000, seconds: 600, records: 1_000 } as const;
/** The most requests to another machine without `--yes`: its owner pays, and may not expect it. */
const requestsElsewhere = 200;

export interface LoadPlan {
  scenario: ScenarioName;
  /** Either requests a second, or how many are sent side by side. */
  pace: { rate: number } | { concurrency: number };
  requests: number;
  seconds: number;
  records: number;
  /** A service that runs already. */
  target: { url: string; key: string } | undefined;
  json: boolean;
}

/** @throws OperationError that says what is wrong. */
export function parsePlan(args: readonly string[], environment: NodeJS.ProcessEnv): LoadPlan {
  const options = optionsIn(args);
  const { scenario = 'read', rate, concurrency } = options;
  if (!Object.hasOwn(scenarios, scenario)) throw wrong(`There is no scenario ${scenario}.`);
  if (rate && concurrency) throw wrong('Give --rate or --concurrency.');
  const pace = concurrency
    ? { concurrency: within('concurrency', concurrency) }
    : { rate: within('rate', rate ?? '50') };
  const seconds = within('seconds', options.seconds ?? (options.requests ? String(bounds.seconds) : '10'));
  const asked = within('requests', options.requests ?? String(bounds.requests));
  const requests = 'rate' in pace ? Math.min(asked, pace.rate * seconds) : asked;
  const records = within('records', options.records ?? '20');
  const target = targetOf(options, environment);
  if (target && !isLoopback(target.url) && !options.yes && requests > requestsElsewhere)
    throw wrong(
      `${target.url} is another machine. Give --yes to send it more than ${requestsElsewhere} requests, or less with --requests.`,
    );
  return {
    scenario: scenario as ScenarioName,
    pace,
    requests,
    seconds,
    records,
    target,
    json: options.json,
  };
}

function optionsIn(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        scenario: text,
        rate: text,
        concurrency: text,
        requests: text,
        seconds: text,
        records: text,
        url: text,
        key: text,
        yes: flag,
        json: flag,
      },
    }).values;
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

function within(name: keyof typeof bounds, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= bounds[name]) return value;
  throw wrong(`--${name} must be a whole number from 1 to ${bounds[name]}, but is "${text}".`);
}

function targetOf(
  { url, key }: { url?: string; key?: string },
  { LOAD_KEY }: NodeJS.ProcessEnv,
): LoadPlan['target'] {
  if (!url) return undefined;
  if (!URL.canParse(url)) throw wrong(`--url is not a URL: ${url}`);
  const used = key ?? LOAD_KEY;
  if (!used) throw wrong('Give the key of the service: --key, or the variable LOAD_KEY.');
  return { url: url.replace(/\/+$/, ''), key: used };
}

const isLoopback = (url: string) => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

const wrong = (reason: string) => new OperationError(`${reason}\nUsage: ${usage}`);
