/** The params of the operations of a surface. */
export interface Place {
  /** Of the product. */
  id: string;
  surfaceId: string;
}
