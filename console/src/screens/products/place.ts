/** The params of the routes of a surface. */
export interface Place {
  /** Of the product. */
  id: string;
  surfaceId: string;
}
