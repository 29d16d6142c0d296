import { invalidAt } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { headerSealer } from './header-secrets.ts';
import { hiddenValue, secretKeysOfValue, type TelemetryBody } from './telemetry-body.ts';
import type { TelemetrySetting } from './telemetry-setting.ts';

type Addressed = Pick<TelemetryBody, 'endpoint' | 'headers'>;
type Stored = Pick<TelemetrySetting, 'endpoint' | 'headers' | 'secretKeysOf'>;

/** Encrypts the values of a setting's headers, or takes over those that are stored. @throws 400 */
export const headersToStore = /* @__PURE__ */ using([headerSealer], (scope: Pick<Scope, 'table'>) => {
  const seal = headerSealer(scope);
  return async ({ endpoint, headers }: Addressed, before: Stored | undefined) => {
    const sealed = await Promise.all(
      Object.entries(headers).map(async ([name, value]) =>
        value === hiddenValue
          ? { name, ...storedHeader(name, endpoint, before) }
          : { name, text: await seal(value), secretKeys: secretKeysOfValue(value) },
      ),
    );
    const naming = sealed.filter(({ secretKeys }) => secretKeys.length > 0);
    return {
      headers: Object.fromEntries(sealed.map(({ name, text }) => [name, text])),
      secretKeysOf: Object.fromEntries(naming.map(({ name, secretKeys }) => [name, secretKeys])),
    };
  };
});

/** What `••••` stands for. Never at another origin, which could be that of somebody who may set it but not read it. */
function storedHeader(name: string, endpoint: string, before: Stored | undefined) {
  if (!before || !Object.hasOwn(before.headers, name)) throw nothingHidden(name);
  if (new URL(endpoint).origin !== new URL(before.endpoint).origin) throw hiddenElsewhere(name);
  return { text: before.headers[name] ?? '', secretKeys: before.secretKeysOf[name] ?? [] };
}

const nothingHidden = (name: string) =>
  invalidAt(
    `headers.${name}`,
    'INVALID_VALUE',
    `There is no stored value of ${name} that ${hiddenValue} could stand for; send the value`,
  );

const hiddenElsewhere = (name: string) =>
  invalidAt(
    `headers.${name}`,
    'INVALID_VALUE',
    `${hiddenValue} stands for the stored value of ${name} only while scheme, host and port of endpoint stay; send the value again`,
  );
