export const omitUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };

/** Neither undefined nor null, which many write for what is absent. */
export const isStated = (value: unknown): boolean => value !== undefined && value !== null;
