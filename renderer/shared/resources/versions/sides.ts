/** The two versions that the Versions tab compares. */
export type Sides = { readonly from: string; readonly to: string }
/** A side that is left out stays the same. */
export type SidesPatch = { readonly from?: string | undefined; readonly to?: string | undefined }
