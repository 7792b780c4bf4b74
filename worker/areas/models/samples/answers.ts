import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

/** Sample answers of Hugging Face, written for this project. */

const total = { usual: 45, long: 240 };
const totalOf = ({ empty, secondPage }: SampleRequest) =>
  empty ? 0 : secondPage ? total.long : total.usual;
const offsetOf = ({ query = {} }: SampleRequest) => Number(query.cursor ?? 0);

const listed = <T>(request: SampleRequest, make: (index: number) => T): T[] =>
  slice(
    { total: totalOf(request), offset: offsetOf(request), count: Number(request.query?.limit) },
    make,
  );

/** The address of the next page, whose cursor counts rows here. */
function next(path: string) {
  return (request: SampleRequest): Record<string, string> => {
    const offset = offsetOf(request) + Number(request.query?.limit);
    if (offset >= totalOf(request)) return {};
    return { link: `<https://huggingface.co${path}?limit=100&cursor=${offset}>; rel="next"` };
  };
}

const moment = (v: ReturnType<typeof vary>, name: string) =>
  new Date(Date.UTC(2024, 0, 1) + v.int(name, 0, 700) * 86_400_000).toISOString();

function shared(id: string) {
  const v = vary("hugging face", id);
  return {
    _id: v.digits("id", 24),
    id,
    author: id.split("/")[0],
    sha: v.digits("sha", 40),
    lastModified: moment(v, "modified"),
    private: false,
    gated: v.pick("gated", [false, "auto", "manual"]),
    disabled: false,
    downloads: v.int("downloads", 1, 900_000),
    likes: v.int("likes", 1, 9000),
    createdAt: moment(v, "created"),
  };
}

const listedModel = (id: string) => ({
  ...shared(id),
  modelId: id,
  pipeline_tag: vary("task", id).pick("task", ["text-generation", "fill-mask"]),
  library_name: vary("library", id).pick("library", ["transformers", "diffusers"]),
  tags: [
    "transformers",
    "en",
    `license:${vary("licence", id).pick("licence", ["mit", "apache-2.0"])}`,
  ],
});

const model = (id: string) => ({
  ...listedModel(id),
  config: { architectures: [`${vary(id).pick("class", words)}ForCausalLM`], model_type: "sample" },
  cardData: {
    license: "mit",
    language: ["en", "fi"],
    base_model: `sample/${vary(id).pick("base", words)}`,
    datasets: [`sample/${vary(id).pick("dataset", words)}`],
  },
  siblings: [{ rfilename: "README.md" }, { rfilename: "model.safetensors" }],
  safetensors: { parameters: { BF16: 7_000_000 }, total: vary(id).int("parameters", 9000, 90_000) },
  usedStorage: vary(id).int("storage", 9000, 900_000),
});

const listedDataset = (id: string) => ({
  ...shared(id),
  description: `\n\t${vary(id).pick("description", words)} of letters\n`,
  tags: [
    "task_categories:text-classification",
    "language:en",
    "license:mit",
    "size_categories:1K<n<10K",
  ],
});

const dataset = (id: string) => ({
  ...listedDataset(id),
  citation: `@misc{${vary(id).pick("citation", words)}}\n`,
  cardData: { pretty_name: `Letters of ${vary(id).pick("name", words)}`, language: ["en"] },
  siblings: [{ rfilename: "README.md" }, { rfilename: "train.parquet" }],
  usedStorage: vary(id).int("storage", 9000, 900_000),
});

/** Old repositories have no owner. */
const named = ({ owner, name = "" }: Record<string, string>) =>
  owner === undefined ? name : `${owner}/${name}`;

const faults = {
  not_found: { status: 401, body: { error: "Repository not found" } },
  upstream_error: { status: 400, body: { error: "sample fault" } },
  upstream_unavailable: { status: 503, body: undefined },
} as const;

export const huggingFace: Samples = {
  upstream: "hugging-face",
  answers: {
    "GET /api/models": (request) =>
      listed(request, (index) =>
        listedModel(`sample-${index}/${vary("model", index).pick("name", words)}`),
      ),
    "GET /api/models/{name}": ({ parts }) => model(named(parts)),
    "GET /api/models/{owner}/{name}": ({ parts }) => model(named(parts)),
    "GET /api/datasets": (request) =>
      listed(request, (index) =>
        listedDataset(`sample-${index}/${vary("dataset", index).pick("name", words)}`),
      ),
    "GET /api/datasets/{name}": ({ parts }) => dataset(named(parts)),
    "GET /api/datasets/{owner}/{name}": ({ parts }) => dataset(named(parts)),
  },
  headers: {
    "GET /api/models": next("/api/models"),
    "GET /api/datasets": next("/api/datasets"),
  },
  faults,
};

const readme = ({ parts }: SampleRequest) =>
  `---\nlicense: mit\n---\n\n# ${parts.name}\n\nMade of ${vary("card", named(parts)).pick("word", words)}.\n`;

export const huggingFaceFiles: Samples = {
  upstream: "hugging-face-files",
  answers: {
    "GET /{name}/resolve/main/README.md": readme,
    "GET /{owner}/{name}/resolve/main/README.md": readme,
    "GET /datasets/{owner}/{name}/resolve/main/README.md": readme,
  },
  faults,
};
