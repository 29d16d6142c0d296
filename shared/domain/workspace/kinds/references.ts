/** What members of documents refer to by a name. */
export type ReferenceTarget =
  | 'flows'
  | 'flowVersions'
  | 'agents'
  | 'tools'
  | 'modelConfigs'
  | 'products'
  | 'surfaces'
  | 'capabilities'
  | 'budgets'
  | 'apiKeys'
  | 'clientTokens'
  | 'mcpConnections'
  | 'providerKeys'
  | 'records';

/** Replaces a reference. @param within What the reference belongs to: the id or the name of the flow of a version. */
export type ReplaceReference = (
  target: ReferenceTarget,
  value: string,
  path: readonly PropertyKey[],
  within?: string,
) => string;

type Members = Record<string, unknown>;

/** A copy of a content with each of its references replaced. */
export type ReferenceMap = (
  content: Members,
  change: ReplaceReference,
  path?: readonly PropertyKey[],
) => Members;

/** References by their places: dotted, `*` stands for each element of a list, `{}` for each name of a member. */
export type Places = Readonly<Record<string, ReferenceTarget>>;

export const mapReferences = (places: Places): ReferenceMap => {
  const parsed = Object.entries(places).map(([place, target]) => ({ at: place.split('.'), target }));
  return (content, change, path = []) =>
    parsed.reduce<Members>(
      (mapped, { at, target }) =>
        replaceAt(mapped, at, path, (value, where) => change(target, value, where)) as Members,
      content,
    );
};

type Replace = (value: string, path: readonly PropertyKey[]) => string;

function replaceAt(
  value: unknown,
  [step, ...rest]: readonly string[],
  path: readonly PropertyKey[],
  replace: Replace,
): unknown {
  if (step === undefined) return typeof value === 'string' ? replace(value, path) : value;
  if (step === '*') {
    if (!Array.isArray(value)) return value;
    return value.map((element, index) => replaceAt(element, rest, [...path, index], replace));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (step === '{}') {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [replace(name, [...path, name]), member]),
    );
  }
  if (!Object.hasOwn(value, step)) return value;
  const member = (value as Members)[step];
  return { ...value, [step]: replaceAt(member, rest, [...path, step], replace) };
}
