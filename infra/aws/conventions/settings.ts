import * as z from 'zod';
import { omitUndefined } from '../../../shared/core/defined.ts';
import { type EnvironmentName, environments } from '../../environments.ts';
import { workerHosts } from '../../resources.ts';

const flag = z.enum(['true', 'false'], 'expected true or false').transform((text) => text === 'true');

/** A number of the command line is text. */
function wholeNumber(min: number, max: number) {
  const expected = `expected a whole number from ${min} to ${max}, digits only`;
  return z
    .union([z.int(expected), z.string().regex(/^\d{1,15}$/, expected)], expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected);
}

const httpsUrl = z.url({ protocol: /^https$/, error: 'expected a URL that starts with https://' });

const listOf = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));

/** Whether a text is an origin as browsers send it: no path, no default port, lower case. */
function isOrigin(text: string, withLocal: boolean): boolean {
  const { protocol, hostname = '', origin } = URL.parse(text) ?? {};
  const isLocal = protocol === 'http:' && ['localhost', '127.0.0.1'].includes(hostname);
  const isEncrypted = protocol === 'https:' && /^[a-z0-9.-]+$/.test(hostname);
  return origin === text && (isEncrypted || (withLocal && isLocal));
}

/** `http` only for a developer's machine. */
const CorsOrigin = z
  .string()
  .refine(
    (text) => text === '*' || isOrigin(text, true),
    'expected origins like https://app.example.com, separated by commas, or *',
  );

const HttpsOrigin = z
  .string()
  .refine(
    (text) => isOrigin(text, false),
    'expected origins like https://id.example.com, separated by commas',
  );

const Identity = z.string().regex(/^[^\s/*]{1,320}$/, 'expected addresses or domains, separated by commas');

/** They fill five of the ten managed policies that a role may have, if all have the greatest length. */
export const sesIdentitiesMax = 50;

/** The range of limits that WAF accepts. */
const firewallRate = z.union([z.literal('off'), wholeNumber(10, 2_000_000_000)], {
  error: 'expected off, or a whole number from 10 to 2000000000, digits only',
});

/** The context values (`-c name=value`, or `context` in cdk.json). `docs/deploying.md` describes each. */
const Context = z
  .strictObject({
    env: z.enum(Object.keys(environments) as [EnvironmentName], {
      error: `expected one of ${Object.keys(environments).join(', ')}`,
    }),
    oidcIssuer: httpsUrl.optional(),
    oidcAudience: z.string().min(1).optional(),
    consoleClientId: z.string().min(1).optional(),
    signInOrigins: listOf(HttpsOrigin).default([]),
    rateLimitPerHour: wholeNumber(1, 1_000_000_000).default(1_000),
    rateLimitPerDay: wholeNumber(1, 1_000_000_000).default(10_000),
    openRequestsPerTenant: wholeNumber(1, 1_000).default(50),
    messagesPerHour: wholeNumber(0, 1_000_000).default(500),
    strangersPerHour: wholeNumber(0, 1_000_000).default(50),
    conversationRetentionDays: wholeNumber(1, 36_500).optional(),
    wafRatePer5Minutes: firewallRate.optional(),
    forwardedAddressHeader: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'expected the name of a header, like CF-Connecting-IP')
      .optional(),
    domainName: z.hostname('expected a name like api.example.com').optional(),
    certificateArn: z
      .string()
      .regex(/^arn:[\w-]+:acm:/, 'expected the ARN of a certificate of ACM')
      .optional(),
    basePath: z
      .string()
      .regex(/^[\w.+-]{1,300}$/, 'expected one segment of a path, without slashes')
      .optional(),
    userEmailSender: z.email('expected an email address').optional(),
    userEmailIdentity: Identity.optional(),
    publicUrl: httpsUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
    corsOrigins: listOf(CorsOrigin).default([]),
    cloudFront: flag.default(false),
    sesIdentities: listOf(Identity)
      .refine(
        ({ length }) => length <= sesIdentitiesMax,
        `expected at most ${sesIdentitiesMax}: a domain stands for all of its addresses`,
      )
      .default([]),
    bedrockRegion: z
      .string()
      .regex(/^[a-z]{2,4}(-[a-z]+)+-\d$/, 'expected an AWS region like eu-central-1')
      .optional(),
    otlpEndpoint: z
      .url({ protocol: /^https?$/, error: 'expected a URL that starts with https:// or http://' })
      .optional(),
    tableName: z.string().min(3).max(255).optional(),
    payloadBucket: z.string().min(3).max(63).optional(),
    logLevel: z.enum(['info', 'warn', 'error'], 'expected info, warn or error').default('info'),
    alarms: flag.optional(),
    alarmEmail: z.email('expected an email address').optional(),
    alarmTopicArn: z
      .string()
      .regex(/^arn:[\w-]+:sns:/, 'expected the ARN of an SNS topic')
      .optional(),
    alarmCostPerHourUsd: wholeNumber(1, 1_000_000).default(20),
    runbookUrl: httpsUrl.default('docs/runbook.md'),
    canary: flag.optional(),
    workers: z.enum(workerHosts, `expected ${workerHosts.join(' or ')}`).default('lambda'),
  })
  .refine(({ oidcIssuer, oidcAudience }) => (oidcIssuer === undefined) === (oidcAudience === undefined), {
    path: ['oidcAudience'],
    error: 'expected both oidcIssuer and oidcAudience, or neither',
  })
  .refine(({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined), {
    path: ['certificateArn'],
    error: 'expected both domainName and certificateArn, or neither',
  })
  .refine(({ domainName, basePath }) => domainName !== undefined || basePath === undefined, {
    path: ['basePath'],
    error: 'expected only together with domainName',
  })
  .refine(({ oidcIssuer, userEmailSender }) => oidcIssuer === undefined || userEmailSender === undefined, {
    path: ['userEmailSender'],
    error: 'expected only without oidcIssuer: the stack’s own user pool sends with it',
  })
  .refine(
    ({ userEmailSender, userEmailIdentity }) =>
      userEmailSender !== undefined || userEmailIdentity === undefined,
    { path: ['userEmailIdentity'], error: 'expected only together with userEmailSender' },
  )
  .refine(({ oidcIssuer, consoleClientId }) => oidcIssuer !== undefined || consoleClientId === undefined, {
    path: ['consoleClientId'],
    error: 'expected only together with oidcIssuer: the stack’s own user pool has a client for the console',
  })
  .refine(
    ({ consoleClientId, signInOrigins }) => consoleClientId !== undefined || signInOrigins.length === 0,
    {
      path: ['signInOrigins'],
      error: 'expected only together with consoleClientId: the console calls them for its sign-in',
    },
  );

/** A deployment: the settings of its environment, and the context values. */
export type Settings = ReturnType<typeof parseSettings>;

/** @throws an error that names each wrong context value. */
export function parseSettings(context: Readonly<Record<string, unknown>>) {
  const { data, error } = Context.safeParse(ownOf(context));
  if (error) throw new Error(`Wrong context values:\n${error.issues.map(problemOf).join('\n')}`);
  const { env, ...values } = data;
  const environment = environments[env];
  const { wafRatePer5Minutes, alarms, canary } = { ...environment, ...omitUndefined(values) };
  if (canary && !alarms)
    throw new Error('Wrong context values:\n  canary: rolls back on alarms, so it needs alarms=true');
  if (values.forwardedAddressHeader && wafRatePer5Minutes === 'off')
    throw new Error('Wrong context values:\n  forwardedAddressHeader: expected only with wafRatePer5Minutes');
  const publicUrl = values.publicUrl ?? urlOf(values);
  return { env, ...environment, ...values, publicUrl, wafRatePer5Minutes, alarms, canary };
}

/** The base URL of a custom domain. */
const urlOf = ({ domainName, basePath }: Pick<z.infer<typeof Context>, 'domainName' | 'basePath'>) =>
  domainName && ['https:/', domainName, ...(basePath ? [basePath] : [])].join('/');

/** Without the values of the CDK itself, as `aws:cdk:enable-path-metadata` and `@aws-cdk/core:…`. */
const ownOf = (context: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(context).filter(([name]) => !/[:/@=]/.test(name)));

function problemOf({ code, path, message, ...issue }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys' && 'keys' in issue) {
    const variableNames = Object.keys(Context.shape).join(', ');
    return `  ${issue.keys.join(', ')}: there is no such value. Known values: ${variableNames}`;
  }
  return `  ${path.join('.')}: ${message}`;
}
