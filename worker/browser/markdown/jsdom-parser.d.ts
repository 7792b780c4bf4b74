/** Readability's own parser of well-formed HTML: as much of a document as it needs itself. */
declare module "@mozilla/readability/JSDOMParser.js" {
  export default class JSDOMParser {
    parse(html: string, url: string): Document;
  }
}
