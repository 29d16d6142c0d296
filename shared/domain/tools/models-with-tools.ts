/** The ids of the models that can call tools, by provider. */
export type ModelsByProvider = Readonly<Record<string, readonly string[]>>;

/** The models of the catalog that can call tools. */
export const modelsWithTools = async (): Promise<ModelsByProvider> => ({});
