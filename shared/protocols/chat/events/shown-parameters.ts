import { isDeeperThan } from '../../../core/json/nesting.ts';
import { isCredentialName, redactCredentials } from '../../../core/redaction/credentials.ts';
import { truncate } from '../../../core/text.ts';

const levelsMax = 8;
const charactersMax = 20_000;
const textMax = 2_000;
const redacted = '[redacted]';

/** What a visitor sees of the arguments of a call that needs an approval: no credentials, and no more than fits a page. */
export function shownParameters(parameters: unknown): unknown {
  if (isDeeperThan(levelsMax, parameters)) return '[too deep]';
  const shown = withoutCredentials(parameters);
  return (JSON.stringify(shown)?.length ?? 0) > charactersMax ? '[too long]' : shown;
}

function withoutCredentials(value: unknown): unknown {
  if (typeof value === 'string') return truncate(redactCredentials(value), textMax);
  if (Array.isArray(value)) return value.map(withoutCredentials);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isCredentialName(name) ? redacted : withoutCredentials(member),
    ]),
  );
}
