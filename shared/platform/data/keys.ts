declare const issued: unique symbol;

/**
 * A partition of the table or of an index, without its tenant: the table adds the one that it is bound to. Only modules
 * that declare an entity make partitions (a test checks that), so no caller can name another tenant's or make one up.
 */
export interface Partition {
  readonly [issued]: true;
  readonly name: string;
  readonly isShared: boolean;
}

/** A partition that every tenant has. */
export const tenantPartition = (name: string) => ({ name, isShared: false }) as Partition;

/** A partition of all tenants together. Its name must not begin with `T#`. */
export const sharedPartition = (name: string) => ({ name, isShared: true }) as Partition;

/** Where an item stands, as its entity tells it. */
export interface Key {
  PK: Partition;
  SK: string;
}

/** Where an item stands in the two sparse indexes. Both project the keys and `summary`, nothing else. */
export interface IndexKeys {
  PK1?: Partition;
  SK1?: string;
  PK2?: Partition;
  SK2?: string;
}

/** A key as the table holds it: read from there, or made of a {@link Key}. */
export interface StoredKey {
  PK: string & { readonly [issued]: true };
  SK: string;
}

/** The name of a partition as the table holds it. */
export const storedPartition = (tenant: string, { name, isShared }: Partition) =>
  (isShared ? name : `T#${tenant}#${name}`) as StoredKey['PK'];

export const storedKey = (tenant: string, { PK, SK }: Key): StoredKey => ({
  PK: storedPartition(tenant, PK),
  SK,
});

/** Attributes of an index as the table holds them; what is missing is left out. */
export const storedIndexKeys = (tenant: string, { PK1, SK1, PK2, SK2 }: IndexKeys) => ({
  ...(PK1 && { PK1: storedPartition(tenant, PK1), SK1 }),
  ...(PK2 && { PK2: storedPartition(tenant, PK2), SK2 }),
});

/** The tenant of a stored item, by its partition. A tenant's name has no `#`. */
export const tenantOfItem = ({ PK }: StoredKey) => PK.split('#')[1] ?? '';
