import { invalidAt } from '../../core/errors.ts';

/** More than metadata of 256 KB can have. With so many in one object, all that looks at each takes seconds. */
const membersMax = 50_000;
/** `"abc":1,` is about the least that a member takes. */
const bytesMin = 6 * membersMax;

/** Lets through text that is no JSON. @throws ApiError 400 at the path of an object with too many members. */
export function refuseTooManyMembers(text: string): void {
  if (text.length < bytesMin) return;
  const open: [value: unknown, path: string[]][] = [[parsed(text), []]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, path] = next;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && Object.keys(value).length > membersMax) throw tooMany(path);
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'object' && member !== null) open.push([member, [...path, key]]);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const tooMany = (path: string[]) =>
  invalidAt(path.join('.'), 'TOO_MANY_MEMBERS', `An object may have ${membersMax} members at most`);
