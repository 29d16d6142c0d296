import { invalidAt } from '../../core/errors.ts';

/** More than metadata of 256 KB can have. With so many in one object, all that looks at each takes seconds. */
const membersMax = 50_000;
/** `"abc":1,` is about the least that a member takes. */
const bytesMin = 6 * membersMax;

/** A value in a body, and the one that holds it. */
interface Place {
  value: unknown;
  key: string;
  holder: Place | undefined;
}

/** Lets through text that is no JSON. @throws ServiceError 400 at the path of an object with too many members. */
export function assertMemberCount(text: string): void {
  if (text.length < bytesMin) return;
  const open: Place[] = [{ value: parsed(text), key: '', holder: undefined }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { value } = place;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && Object.keys(value).length > membersMax) throw tooMany(pathOf(place));
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'object' && member !== null) open.push({ value: member, key, holder: place });
    }
  }
}

/** Put together only for the one that is told: a body may be nested a million levels deep. */
function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at = place; at.holder; at = at.holder) path.unshift(at.key);
  return path;
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
