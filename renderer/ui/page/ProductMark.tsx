/** The product's logo. */
export function ProductMark({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 2 21 12 12 22 3 12z" fill="var(--pd-accent)" />
      <path d="M12 2 21 12H3z" fill="#fff" fillOpacity={0.32} />
    </svg>
  )
}
