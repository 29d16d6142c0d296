import { tenantLimits } from '../../shared/domain/tenant-limits.ts';
import { findConstants } from './constants.ts';
import { type Limit, limitGroups } from './limit-list.ts';

/** docs/limits.md, with the numbers of the code. */
export function limitsDocument(root: string): string {
  const numberOf = findConstants(root);
  const row = ({ what, constant, unit, at, change }: Limit) => {
    const { value, folder } =
      typeof constant === 'number' ? { value: constant, folder: '' } : numberOf(constant);
    return `| ${what} | ${amount(value, unit)} | ${at} | ${change ?? `the code: \`${folder}/\``} |`;
  };
  const sections = limitGroups.map(
    ({ title, limits }) => `## ${title}

| What | Limit | At the limit | Where to change it |
| --- | --- | --- | --- |
${[...limits, ...(title === 'Tenants' ? tenantRows : [])].map(row).join('\n')}`,
  );
  return `# Limits

\`npm run docs\` writes this document: the numbers are those of the code. The limits of single members of requests (lengths, list sizes,
ranges) are in the reference at \`/docs\`, and a 400 names the member and the limit.

A **429** has \`Retry-After\` in seconds; wait as long, and send the request again. A **409** with \`LIMIT_REACHED\` means that you have as
many as you may have: delete some. \`GET /v1/usage-limits\` shows how much of its rate limits a credential has used.

${sections.join('\n\n')}

Limits of AWS, such as concurrent Lambdas, are in [deploying](deploying.md#settings). The reasons for these numbers are in the
[decisions](decisions/README.md).
`;
}

const tenantRows: Limit[] = Object.entries(tenantLimits).map(([what, max]) => ({
  what: what.charAt(0).toUpperCase() + what.slice(1),
  constant: max,
  unit: '',
  at: '409 `LIMIT_REACHED`',
  change: 'the code: `shared/domain/`',
}));

const days = 86_400;

/** In the unit that a person would choose. */
function amount(value: number, unit: Limit['unit']): string {
  if (unit === 'bytes') return value % 1_024 === 0 ? binary(value) : decimal(value);
  if (unit === 'ms') return duration(value / 1_000);
  if (unit === 's') return duration(value);
  return [value.toLocaleString('en-US'), unit].filter(Boolean).join(' ');
}

const binary = (bytes: number) =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MiB` : `${(bytes / 1_024).toLocaleString('en-US')} KiB`;
const decimal = (bytes: number) =>
  bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${(bytes / 1_000).toLocaleString('en-US')} KB`;

function duration(seconds: number): string {
  const units = [
    [days, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const;
  const [size, name] = units.find(([each]) => seconds >= each && seconds % each === 0) ?? [1, 'second'];
  const count = seconds / size;
  return `${count.toLocaleString('en-US')} ${name}${count === 1 ? '' : 's'}`;
}
