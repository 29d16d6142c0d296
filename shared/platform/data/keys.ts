declare const issued: unique symbol;

/** The table adds the tenant. Only modules that declare an entity create partitions (a test checks this). */
export interface Partition {
  readonly [issued]: true;
  readonly name: string;
  readonly isShared: boolean;
}

export const tenantPartition = (name: string) => ({ name, isShared: false }) as Partition;

/** A partition shared by all tenants. Its name must not begin with `T#`. */
export const sharedPartition = (name: string) => ({ name, isShared: true }) as Partition;

export interface Key {
  PK: Partition;
  SK: string;
}

/** The keys of an item in the two sparse indexes. Both project only the keys and `summary`. */
export interface IndexKeys {
  PK1?: Partition;
  SK1?: string;
  PK2?: Partition;
  SK2?: string;
}

export interface StoredKey {
  PK: string & { readonly [issued]: true };
  SK: string;
}

export const toStoredPartition = (tenant: string, { name, isShared }: Partition) =>
  (isShared ? name : `T#${tenant}#${name}`) as StoredKey['PK'];

export const toStoredKey = (tenant: string, { PK, SK }: Key): StoredKey => ({
  PK: toStoredPartition(tenant, PK),
  SK,
});

export const toStoredIndexKeys = (tenant: string, { PK1, SK1, PK2, SK2 }: IndexKeys) => ({
  ...(PK1 && { PK1: toStoredPartition(tenant, PK1), SK1 }),
  ...(PK2 && { PK2: toStoredPartition(tenant, PK2), SK2 }),
});

/** The tenant of a stored item. Tenant names contain no `#`. */
export const readTenant = ({ PK }: StoredKey) => PK.split('#')[1] ?? '';
