import * as z from "zod";
import { count, unixSeconds } from "../../fields.ts";

const place = z.object({
  country: z.string().optional(),
  country_code: z.string().optional(),
  city: z.string().optional(),
  full: z.string().optional().describe("As the page shows it"),
});

const month = z.object({
  year: z.int(),
  month: z.int().min(1).max(12).optional(),
});

const companyReference = z
  .object({
    id: z.string().optional(),
    name: z.string().optional(),
    universal_name: z.string().optional(),
  })
  .meta({ id: "ProfessionalNetworkCompanyReference" });

export const professionalNetworkUser = z
  .object({
    public_identifier: z.string(),
    display_name: z.string(),
    share_url: z.string().describe("Profile page"),
    id: z.string().optional(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    headline: z.string().optional(),
    description: z.string().optional(),
    avatar_url: z.string().optional().describe("Signed; expires"),
    cover_image_url: z.string().optional().describe("Signed; expires"),
    location: place.optional(),
    follower_count: count("Followers").optional(),
    connection_count: count("Connections, or the least number of them").optional(),
    connection_count_is_minimum: z
      .boolean()
      .optional()
      .describe('True where the platform says "500+"; absent elsewhere'),
    is_premium: z.boolean().optional(),
    is_open_to_work: z.boolean().optional(),
    is_hiring: z.boolean().optional(),
    is_creator: z.boolean().optional(),
    is_influencer: z.boolean().optional(),
    is_top_voice: z.boolean().optional(),
    current_company: companyReference.optional(),
    experiences: z
      .array(
        z.object({
          title: z.string().optional(),
          company: companyReference.optional(),
          location: z.string().optional(),
          start: month.optional(),
          end: month.optional(),
          is_current: z.boolean().optional(),
          description: z.string().optional(),
        }),
      )
      .optional(),
    educations: z
      .array(
        z.object({
          school: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
          degree: z.string().optional(),
          field: z.string().optional(),
          start: month.optional(),
          end: month.optional(),
          description: z.string().optional(),
        }),
      )
      .optional(),
    skills: z.array(z.string()).optional(),
    create_time: unixSeconds("Since when the user is a member").optional(),
  })
  .meta({ id: "ProfessionalNetworkUser" });

const office = z
  .object({
    country: z.string().optional(),
    country_code: z.string().optional(),
    city: z.string().optional(),
    region: z.string().optional(),
    postal_code: z.string().optional(),
    line1: z.string().optional(),
    full: z.string().optional().describe("As the page shows it"),
  })
  .meta({ id: "ProfessionalNetworkOffice" });

export const professionalNetworkCompany = z
  .object({
    universal_name: z.string(),
    name: z.string(),
    share_url: z.string().describe("Company page"),
    id: z.string().optional(),
    tagline: z.string().optional(),
    description: z.string().optional(),
    website_url: z.string().optional(),
    industries: z.array(z.string()).optional(),
    specialties: z.array(z.string()).optional(),
    company_type: z.string().optional(),
    founded_year: z.int().optional(),
    employee_count: count("Members who say they work there").optional(),
    employee_count_range: z
      .object({
        start: z.int().min(0).describe("At least so many"),
        end: z.int().min(0).optional().describe("At most so many"),
      })
      .optional()
      .describe("Size that the company states; without `end` it is open"),
    follower_count: count("Followers").optional(),
    headquarters: office.optional(),
    locations: z.array(office).optional(),
    logo_url: z.string().optional().describe("Signed; expires"),
    cover_image_url: z.string().optional().describe("Signed; expires"),
  })
  .meta({ id: "ProfessionalNetworkCompany" });

export const professionalNetworkAuthor = z
  .object({
    id: z.string().optional(),
    username: z.string().optional().describe("Last part of the address of the author's page"),
    display_name: z.string().optional(),
    headline: z.string().optional(),
    avatar_url: z.string().optional(),
  })
  .meta({ id: "ProfessionalNetworkAuthor" });

const postShape = {
  id: z.string(),
  share_url: z.string(),
  text: z.string().optional(),
  create_time: unixSeconds(
    "Time of publication; where the upstream states none, the time in the post's number",
  ).optional(),
  author: professionalNetworkAuthor.optional(),
  author_type: z.enum(["person", "company"]).optional(),
  like_count: count("Reactions of all kinds").optional(),
  comment_count: count("Comments").optional(),
  share_count: count("Reposts").optional(),
  reactions: z
    .array(z.object({ type: z.string(), count: z.int().min(0) }))
    .optional()
    .describe("Reactions by kind"),
  images: z.array(z.string()).optional(),
  video_url: z.string().optional(),
  article: z.object({ title: z.string().optional(), url: z.string() }).optional(),
  hashtags: z.array(z.string()).optional(),
};

export const professionalNetworkRepostedPost = z
  .object(postShape)
  .meta({ id: "ProfessionalNetworkRepostedPost" });

export const professionalNetworkPost = z
  .object({ ...postShape, reposted_post: professionalNetworkRepostedPost.optional() })
  .meta({ id: "ProfessionalNetworkPost" });

export const professionalNetworkComment = z
  .object({
    id: z.string(),
    post_id: z.string(),
    parent_id: z.string().optional().describe("The comment that this one answers"),
    text: z.string().optional(),
    create_time: unixSeconds("Time of writing").optional(),
    author: professionalNetworkAuthor.optional(),
    like_count: count("Reactions of all kinds").optional(),
    reply_count: count("Replies").optional(),
    share_url: z.string().optional(),
  })
  .meta({ id: "ProfessionalNetworkComment" });

export const professionalNetworkJob = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    company: companyReference.optional(),
    location: z.string().optional(),
    workplace_type: z.string().optional(),
    employment_type: z.string().optional(),
    create_time: unixSeconds("Time of publication").optional(),
    share_url: z.string(),
  })
  .meta({ id: "ProfessionalNetworkJob" });

export type ProfessionalNetworkUser = z.output<typeof professionalNetworkUser>;
export type ProfessionalNetworkCompany = z.output<typeof professionalNetworkCompany>;
export type ProfessionalNetworkOffice = z.output<typeof office>;
export type ProfessionalNetworkCompanyReference = z.output<typeof companyReference>;
export type ProfessionalNetworkAuthor = z.output<typeof professionalNetworkAuthor>;
export type ProfessionalNetworkRepostedPost = z.output<typeof professionalNetworkRepostedPost>;
export type ProfessionalNetworkPost = z.output<typeof professionalNetworkPost>;
export type ProfessionalNetworkComment = z.output<typeof professionalNetworkComment>;
export type ProfessionalNetworkJob = z.output<typeof professionalNetworkJob>;
