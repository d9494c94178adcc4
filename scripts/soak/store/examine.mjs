export async function examine() {
  return {}
}
