/* formulas.c: functions of chlo and of complex numbers as formulas (formula.h).
 *
 * Sources: Cephes (S. Moshier: ndtr.c, ndtrf.c, i1.c, i1f.c), Eigen's rational form of erf,
 * M. Giles "Approximating the erfinv function" (2010), C. Lanczos "A Precision
 * Approximation of the Gamma Function" (1964) with g = 7 and nine terms, F. Johansson
 * (arXiv 1309.2877, formula 5) for Hurwitz' zeta function, Hull, Fairgrieve and Tang
 * "Implementing the complex arcsine and arccosine functions using exception handling"
 * (1997), T. Dekker "A floating-point technique for extending the available precision"
 * (1971).
 *
 * Lines are kept in the order in which operations are to appear. */
#include "stablehlo/expand/formula.h"

#include "stablehlo/stablehlo.h"

/* ---- coefficients ------------------------------------------------------------------- */

static const double erf_num[] = {-2.72614225801306e-10, 2.77068142495902e-08,
                                 -2.10102402082508e-06, -5.69250639462346e-05,
                                 -7.34990630326855e-04, -2.95459980854025e-03,
                                 -1.60960333262415e-02};
static const double erf_den[] = {-1.45660718464996e-05, -2.13374055278905e-04,
                                 -1.68282697438203e-03, -7.37332916720468e-03,
                                 -1.42647390514189e-02};
static const double erf_small[] = {7.853861353153693E-5, -8.010193625184903E-4,
                                   5.188327685732524E-3, -2.685381193529856E-2,
                                   1.128358514861418E-1, -3.761262582423300E-1,
                                   1.128379165726710E+0};
static const double erfc_to_2[] = {
    2.326819970068386E-2,  -1.387039388740657E-1, 3.687424674597105E-1,
    -5.824733027278666E-1, 6.210004621745983E-1,  -4.944515323274145E-1,
    3.404879937665872E-1,  -2.741127028184656E-1, 5.638259427386472E-1};
static const double erfc_from_2[] = {-1.047766399936249E+1, 1.297719955372516E+1,
                                     -7.495518717768503E+0, 2.921019019210786E+0,
                                     -1.015265279202700E+0, 4.218463358204948E-1,
                                     -2.820767439740514E-1, 5.641895067754075E-1};

static const double erf64_num[] = {9.60497373987051638749E0, 9.00260197203842689217E1,
                                   2.23200534594684319226E3, 7.00332514112805075473E3,
                                   5.55923013010394962768E4};
static const double erf64_den[] = {1.00000000000000000000E0, 3.35617141647503099647E1,
                                   5.21357949780152679795E2, 4.59432382970980127987E3,
                                   2.26290000613890934246E4, 4.92673942608635921086E4};
static const double erfc64_num_to_8[] = {
    2.46196981473530512524E-10, 5.64189564831068821977E-1, 7.46321056442269912687E0,
    4.86371970985681366614E1,   1.96520832956077098242E2,  5.26445194995477358631E2,
    9.34528527171957607540E2,   1.02755188689515710272E3,  5.57535335369399327526E2};
static const double erfc64_den_to_8[] = {
    1.00000000000000000000E0, 1.32281951154744992508E1, 8.67072140885989742329E1,
    3.54937778887819891062E2, 9.75708501743205489753E2, 1.82390916687909736289E3,
    2.24633760818710981792E3, 1.65666309194161350182E3, 5.57535340817727675546E2};
static const double erfc64_num_from_8[] = {
    5.64189583547755073984E-1, 1.27536670759978104416E0, 5.01905042251180477414E0,
    6.16021097993053585195E0,  7.40974269950448939160E0, 2.97886665372100240670E0};
static const double erfc64_den_from_8[] = {
    1.00000000000000000000E0, 2.26052863220117276590E0, 9.39603524938001434673E0,
    1.20489539808096656605E1, 1.70814450747565897222E1, 9.60896809063285878198E0,
    3.36907645100081516050E0};

static const double i1e_to_8[] = {
    9.38153738649577178388E-9,  -4.44505912879632808065E-8, 2.00329475355213526229E-7,
    -8.56872026469545474066E-7, 3.47025130813767847674E-6,  -1.32731636560394358279E-5,
    4.78156510755005422638E-5,  -1.61760815825896745588E-4, 5.12285956168575772895E-4,
    -1.51357245063125314899E-3, 4.15642294431288815669E-3,  -1.05640848946261981558E-2,
    2.47264490306265168283E-2,  -5.29459812080949914269E-2, 1.02643658689847095384E-1,
    -1.76416518357834055153E-1, 2.52587186443633654823E-1};
static const double i1e_from_8[] = {-3.83538038596423702205E-9, -2.63146884688951950684E-8,
                                    -2.51223623787020892529E-7, -3.88256480887769039346E-6,
                                    -1.10588938762623716291E-4, -9.76109749136146840777E-3,
                                    7.78576235018280120474E-1};
static const double i1e64_to_8[] = {
    2.77791411276104639959E-18,  -2.11142121435816608115E-17, 1.55363195773620046921E-16,
    -1.10559694773538630805E-15, 7.60068429473540693410E-15,  -5.04218550472791168711E-14,
    3.22379336594557470981E-13,  -1.98397439776494371520E-12, 1.17361862988909016308E-11,
    -6.66348972350202774223E-11, 3.62559028155211703701E-10,  -1.88724975172282928790E-9,
    9.38153738649577178388E-9,   -4.44505912879632808065E-8,  2.00329475355213526229E-7,
    -8.56872026469545474066E-7,  3.47025130813767847674E-6,   -1.32731636560394358279E-5,
    4.78156510755005422638E-5,   -1.61760815825896745588E-4,  5.12285956168575772895E-4,
    -1.51357245063125314899E-3,  4.15642294431288815669E-3,   -1.05640848946261981558E-2,
    2.47264490306265168283E-2,   -5.29459812080949914269E-2,  1.02643658689847095384E-1,
    -1.76416518357834055153E-1,  2.52587186443633654823E-1};
static const double i1e64_from_8[] = {
    7.51729631084210481353E-18,  4.41434832307170791151E-18,  -4.65030536848935832153E-17,
    -3.20952592199342395980E-17, 2.96262899764595013876E-16,  3.30820231092092828324E-16,
    -1.88035477551078244854E-15, -3.81440307243700780478E-15, 1.04202769841288027642E-14,
    4.27244001671195135429E-14,  -2.10154184277266431302E-14, -4.08355111109219731823E-13,
    -7.19855177624590851209E-13, 2.03562854414708950722E-12,  1.41258074366137813316E-11,
    3.25260358301548823856E-11,  -1.89749581235054123450E-11, -5.58974346219658380687E-10,
    -3.83538038596423702205E-9,  -2.63146884688951950684E-8,  -2.51223623787020892529E-7,
    -3.88256480887769039346E-6,  -1.10588938762623716291E-4,  -9.76109749136146840777E-3,
    7.78576235018280120474E-1};

#define TABLE(id)                                                                          \
    {                                                                                      \
#id, id, TW_COUNT(id)                                                              \
    }
static const hlo_table tables[] = {
    TABLE(erf_num),           TABLE(erf_den),           TABLE(erf_small),
    TABLE(erfc_to_2),         TABLE(erfc_from_2),       TABLE(erf64_num),
    TABLE(erf64_den),         TABLE(erfc64_num_to_8),   TABLE(erfc64_den_to_8),
    TABLE(erfc64_num_from_8), TABLE(erfc64_den_from_8), TABLE(i1e_to_8),
    TABLE(i1e_from_8),        TABLE(i1e64_to_8),        TABLE(i1e64_from_8),
};

const hlo_table *hlo_find_table(tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(tables); i++)
        if (tw_str_equal(name, tw_str_from(tables[i].name)))
            return &tables[i];
    return NULL;
}

/* ---- unrolled sums ------------------------------------------------------------------ */

/* Giles' polynomials: each coefficient is selected by the part of the range. */
#define GILES(near, far) "p = select(is_near, " near ", " far ") + p * w;"
#define GILES64_3(a, b, c)                                                                 \
    "p = select(below_16, select(below_6, " a ", " b "), " c ") + p * w;"
#define GILES64_2(a, b) "p = select(below_16, select(below_6, " a ", " b ") + p * w, p);"
#define GILES64_1(a) "p = select(below_6, " a " + p * w, p);"

/* Lanczos' series with g = 7: TERM(coefficient, number) of all eight. */
#define LANCZOS(TERM)                                                                      \
    TERM("676.520368121885098567009190444019", "1")                                        \
    TERM("-1259.13921672240287047156078755283", "2")                                       \
    TERM("771.3234287776530788486528258894", "3")                                          \
    TERM("-176.61502916214059906584551354", "4")                                           \
    TERM("12.507343278686904814458936853", "5")                                            \
    TERM("-0.13857109526572011689554707", "6")                                             \
    TERM("9.984369578019570859563e-6", "7")                                                \
    TERM("1.50563273514931155834e-7", "8")
#define LANCZOS_BASE "0.99999999999980993227684700473478"
#define SUM_TERM(c, k) "a = a + " c " / (z + " k ");"
#define SLOPE_TERM(c, k)                                                                   \
    "c = now(" c "); t = z + " k "; d = d - c / (t * t); a = a + c / t;"
/* z + 1 is x, or 1 - x left of 1/2; t = z + g + 1/2 and its logarithm. */
#define LANCZOS_START                                                                      \
    "half = 0.5; mirrored = x < half; n = -x; one = 1; z = select(mirrored, n, x - one);"
#define LANCZOS_T                                                                          \
    "base = 7.5; t = base + z; l = now(2.0149030205422647); lt = l + log1p(z / base);"

/* Another of the sum's first terms; two factors and a coefficient of the tail, which is
 * (2 k)! / B(2 k). */
#define ZETA_STEP "a = a + one; s = s + pow(a, m);"
#define ZETA_TERM(k, l, c) "p = (x + " k ") * (x + " l "); h = p * (r * (h + " c "));"

/* ---- formulas ----------------------------------------------------------------------- */

static ir_value *convert_unsigned(const hlo_math *m, ir_value *const *in)
{
    ir_type t = ir_type_element(in[0]->type);
    return hlo_convert_to(m->b, in[0], ir_integer_type(t->ctx, t->width, IR_UNSIGNED));
}

static ir_value *zero_like(const hlo_math *m, ir_value *const *in)
{
    return hlo_literal(&(hlo_math){m->b, in[0]}, 0);
}

static ir_value *convert_like_x(const hlo_math *m, ir_value *const *in)
{
    return hlo_convert_to(m->b, in[0], ir_type_element(m->like->type));
}

/* One line per statement. */
/* clang-format off */
static const hlo_formula formulas[] = {
    /* inverse functions of real numbers */
    {"asin", "x", "one = 1; h = atan2(x, one + sqrt((one - x) * (one + x))); h + h"},
    {"acos", "x", "one = 1; atan2(sqrt((one - x) * (one + x)), x)"},
    {"atan", "x", "atan2(x, 1)"},
    {"asinh", "x",
     "s = sign(x); a = abs(x); is_far = a >= sqrt(largest); far = log(2) + log(a);"
     "q = a * a; one = 1; near = log1p(a + q / (one + sqrt(one + q)));"
     "s * select(is_far, far, near)"},
    {"acosh", "x",
     "most = now(largest); two = 2; is_far = x >= most / two; far = log(two) + log(x);"
     "one = 1; r = sqrt(x - one); near = log1p(r * (sqrt(x + one) + r));"
     "select(is_far, far, near)"},
    {"atanh", "x", "is_out = abs(x) > 1; n = now(nan);"
                   "select(is_out, n, (log1p(x) - log1p(-x)) * 0.5)"},

    /* (e^x -+ e^-x) / 2 as e^(x + log 1/2): finite wherever the result is */
    {"sinh_far", "x", "h = log(0.5); exp(x + h) - exp(h - x)"},
    {"sinh", "x",
     "far = sinh_far(x); u = expm1(x); one = now(1); half = now(0.5);"
     "near = half * (u + u / (u + one)); select(abs(x) < one, near, far)"},
    {"cosh", "x", "h = log(0.5); exp(x + h) + exp(h - x)"},
    {"tan", "x", "tan(x)"},
    {"tan_real", "x", "s = sin(x); s / cos(x)"},

    {"is_inf", "x", "abs(x) == inf"},
    {"is_pos_inf", "x", "x == inf"},
    {"is_neg_inf", "x", "x == -inf"},
    {"square", "x", "x * x"},

    /* error functions */
    {"erf", "x",
     "lo = now(-4); hi = now(4); y = clamp(lo, x, hi); q = y * y; n = poly(q, erf_num);"
     "d = poly(q, erf_den); e = y * n / d; lo = now(-1); hi = now(1); clamp(lo, e, hi)"},
    {"erfc_outside", "x",
     "q = x * x; z = -q; a = abs(x); one = 1; i = one / q; e = exp(z) * (one / a); two = 2;"
     "is_near = a < two; n = poly(i, erfc_to_2); f = poly(i, erfc_from_2);"
     "y = e * select(is_near, n, f); none = z < -88.72283905206835; zero = 0;"
     "y = select(none, zero, y); left = x < zero; select(left, two - y, y)"},
    {"erfc", "x",
     "y = erfc_outside(x); one = now(1); q = x * x; e = one - x * poly(q, erf_small);"
     "select(abs(x) < one, e, y)"},
    {"erf64_inside", "x",
     "q = x * x; n = x * poly(q, erf64_num); n / poly(q, erf64_den)"},
    {"erfc64_outside", "x",
     "z = -(x * x); e = exp(z); a = abs(x); n = e * poly(a, erfc64_num_to_8);"
     "near = n / poly(a, erfc64_den_to_8); n = e * poly(a, erfc64_num_from_8);"
     "far = n / poly(a, erfc64_den_from_8); eight = now(8); y = select(a < eight, near, far);"
     "none = z < -709.782712893383996843; zero = 0; y = select(none, zero, y);"
     "left = x < zero; two = now(2); select(left, two - y, y)"},
    {"erf64", "x",
     "e = erf64_inside(x); one = now(1); y = one - erfc64_outside(x);"
     "select(abs(x) < one, e, y)"},
    {"erfc64", "x",
     "y = erfc64_outside(x); one = now(1); e = one - erf64_inside(x);"
     "select(abs(x) < one, e, y)"},
    {"erf_inv", "x",
     "w = -log1p(x * -x); is_near = w < 5;"
     "near = w - 2.5; w = select(is_near, near, sqrt(w) - 3);"
     "p = select(is_near, 2.81022636e-08, -0.000200214257);"
     GILES("3.43273939e-07", "0.000100950558")
     GILES("-3.5233877e-06", "0.00134934322")
     GILES("-4.39150654e-06", "-0.00367342844")
     GILES("0.00021858087", "0.00573950773")
     GILES("-0.00125372503", "-0.0076224613")
     GILES("-0.00417768164", "0.00943887047")
     GILES("0.246640727", "1.00167406")
     GILES("1.50140941", "2.83297682")
     "y = p * x; is_end = abs(x) == 1; select(is_end, x * inf, y)"},
    {"erf_inv64", "x",
     "w = -log1p(x * -x); below_6 = w < 6.25; below_16 = w < 16; r = sqrt(w);"
     "near = w - 3.125; s = select(below_16, 3.25, 5);"
     "w = select(below_6, near, r - s);"
     "p = select(below_16, select(below_6, -3.6444120640178196996e-21,"
     "2.2137376921775787049e-09), -2.7109920616438573243e-11);"
     GILES64_3("-1.685059138182016589e-19", "9.0756561938885390979e-08",
               "-2.5556418169965252055e-10")
     GILES64_3("1.2858480715256400167e-18", "-2.7517406297064545428e-07",
               "1.5076572693500548083e-09")
     GILES64_3("1.115787767802518096e-17", "1.8239629214389227755e-08",
               "-3.7894654401267369937e-09")
     GILES64_3("-1.333171662854620906e-16", "1.5027403968909827627e-06",
               "7.6157012080783393804e-09")
     GILES64_3("2.0972767875968561637e-17", "-4.013867526981545969e-06",
               "-1.4960026627149240478e-08")
     GILES64_3("6.6376381343583238325e-15", "2.9234449089955446044e-06",
               "2.9147953450901080826e-08")
     GILES64_3("-4.0545662729752068639e-14", "1.2475304481671778723e-05",
               "-6.7711997758452339498e-08")
     GILES64_3("-8.1519341976054721522e-14", "-4.7318229009055733981e-05",
               "2.2900482228026654717e-07")
     GILES64_3("2.6335093153082322977e-12", "6.8284851459573175448e-05",
               "-9.9298272942317002539e-07")
     GILES64_3("-1.2975133253453532498e-11", "2.4031110387097893999e-05",
               "4.5260625972231537039e-06")
     GILES64_3("-5.4154120542946279317e-11", "-0.0003550375203628474796",
               "-1.9681778105531670567e-05")
     GILES64_3("1.051212273321532285e-09", "0.00095328937973738049703",
               "7.5995277030017761139e-05")
     GILES64_3("-4.1126339803469836976e-09", "-0.0016882755560235047313",
               "-0.00021503011930044477347")
     GILES64_3("-2.9070369957882005086e-08", "0.0024914420961078508066",
               "-0.00013871931833623122026")
     GILES64_3("4.2347877827932403518e-07", "-0.0037512085075692412107",
               "1.0103004648645343977")
     GILES64_3("-1.3654692000834678645e-06", "0.005370914553590063617",
               "4.8499064014085844221")
     GILES64_2("-1.3882523362786468719e-05", "1.0052589676941592334")
     GILES64_2("0.0001867342080340571352", "3.0838856104922207635")
     GILES64_1("-0.00074070253416626697512")
     GILES64_1("-0.0060336708714301490533")
     GILES64_1("0.24015818242558961693")
     GILES64_1("1.6536545626831027356")
     "y = p * x; is_end = abs(x) == 1; select(is_end, x * inf, y)"},

    /* Bessel's function I1 times e^-|x| */
    {"bessel_i1e", "x",
     "a = abs(x); half = now(0.5); two = now(2); c = now(32); eight = now(8);"
     "near = a * chebyshev(half * a - two, i1e_to_8);"
     "far = chebyshev(c / a - two, i1e_from_8) / sqrt(a);"
     "is_near = a <= eight; y = select(is_near, near, far); sign(x) * y"},
    {"bessel_i1e64", "x",
     "a = abs(x); half = now(0.5); two = now(2); c = now(32); eight = now(8);"
     "near = a * chebyshev(half * a - two, i1e64_to_8);"
     "far = chebyshev(c / a - two, i1e64_from_8) / sqrt(a);"
     "is_near = a <= eight; y = select(is_near, near, far); sign(x) * y"},

    /* Gamma functions.  (z + 1/2 - t / log t) log t overflows only where the result does;
     * sin(pi x) uses the distance to the nearest integer. */
    {"lgamma", "x",
     LANCZOS_START "a = now(" LANCZOS_BASE ");" LANCZOS(SUM_TERM) LANCZOS_T
     "w = t / lt; r = (z + half - w) * lt; la = log(a); y = 0.91893853320467267 + r + la;"
     "b = abs(x); f = b - floor(b); u = half < f; f = select(u, one - f, f);"
     "s = log(sin(pi * f)); m = 1.1447298858494002 - s - y;"
     "ok = is_finite(s); m = select(ok, m, -s); y = select(mirrored, m, y);"
     "ends = is_inf(x); select(ends, inf, y)"},
    {"digamma", "x",
     LANCZOS_START "zero = now(0); d = zero; a = now(" LANCZOS_BASE ");" LANCZOS(SLOPE_TERM)
     LANCZOS_T "q = d / a; g = 7 / t; y = lt + q - g;"
     "f = x + abs(floor(x + 0.5)); p = pi; v = p * f; c = cos(v); s = sin(v);"
     "m = y - p * c / s; y = select(mirrored, m, y);"
     "pole = (x <= zero) and (x == floor(x)); select(pole, nan, y)"},
    {"zeta", "x q",
     "zero = now(0); one = now(1); a = q; m = -x; s = pow(q, m);"
     ZETA_STEP ZETA_STEP ZETA_STEP ZETA_STEP ZETA_STEP ZETA_STEP ZETA_STEP ZETA_STEP
     ZETA_STEP
     "a = a + one; n = pow(a, m); one_x = now(1); e = n * a / (x - one_x);"
     "r = one / (a * a); h = zero;"
     ZETA_TERM("22", "21", "-1.3954464685812522e-19")
     ZETA_TERM("20", "19", "5.5090028283602295e-18")
     ZETA_TERM("18", "17", "-2.1748686985580617e-16")
     ZETA_TERM("16", "15", "8.586062056277845e-15")
     ZETA_TERM("14", "13", "-3.389680296322583e-13")
     ZETA_TERM("12", "11", "1.3382536530684679e-11")
     ZETA_TERM("10", "9", "-5.284190138687493e-10")
     ZETA_TERM("8", "7", "2.08767569878681e-08")
     ZETA_TERM("6", "5", "-8.267195767195768e-07")
     ZETA_TERM("4", "3", "3.306878306878307e-05")
     ZETA_TERM("2", "1", "-0.001388888888888889")
     "half = now(0.5); v = x / a; b = n * (half + v * (0.08333333333333333 + h));"
     "y = s + e + b; na = abs(n); sa = abs(s);"
     "y = select(na < sa * least, s, y);"
     "none = now(nan); low = x < one_x; y = select(low, none, y);"
     "q_low = q <= zero; y = select(q_low and (x != floor(x)), none, y);"
     "top = now(inf); pole = q_low and (q == floor(q)); two = now(2);"
     "even = (x == floor(x)) and (rem(x, two) == zero);"
     "y = select(pole, select(even, top, none), y); select(x == one, top, y)"},
    {"polygamma", "n x",
     "one = now(1); two = now(2); s = two * rem(n, two) - one; k = n + one;"
     "g = exp(lgamma(k)); z = zeta(k, x); y = s * g * z; zero = now(0); none = n == zero;"
     "y = select(none, digamma(x), y); odd = (n != floor(n)) or (n < zero);"
     "select(odd, nan, y)"},

    /* the high half of a product */
    {"mulhi_u64", "x y",
     "xh = shr(x, 32); yh = shr(y, 32); high = xh * yh; xl = x and 4294967295; m = xl * yh;"
     "yl = y and 4294967295; m = m + shr(xl * yl, 32); high = high + shr(m, 32);"
     "n = xh * yl; high + shr(n + (m and 4294967295), 32)"},
    {"mulhi_s64", "x y",
     "h = mulhi_u64(unsigned(x), unsigned(y));"
     "h = h - select(x < 0, unsigned(y), zero(unsigned(y)));"
     "h = h - select(y < 0, unsigned(x), zero(unsigned(x))); as_x(h)"},
    {"unsigned", "v", .build = convert_unsigned},
    {"zero", "v", .build = zero_like},
    {"as_x", "v", .build = convert_like_x},

    /* complex numbers */
    {"conj_complex", "z", "r = real(z); complex(r, -imag(z))"},
    {"square_complex", "z",
     "x = real(z); f = is_finite(x); a = abs(x); y = imag(z); e = f and (a == abs(y));"
     "zero = now(0); d = x - y; r = select(e, zero, d * (x + y)); complex(r, 2 * (x * y))"},
    /* the root of mx^2 + mn^2 without overflow; the caller has the constants */
    {"hypot", "mx mn root_2 one zero two",
     "same = mx == mn; a = root_2 * mx; q = mn / mx; r = q * q; s = sqrt(one + r);"
     "tiny = (s == one) and (r > zero); t = mx + mx * r / two;"
     "select(same, a, select(tiny, t, mx * s))"},
    /* both parts shared by the arcsine and related functions: Hull et al., with fewer
     * cases */
    {"arc_kernel", "z",
     "x = real(z); a = abs(x); y = imag(z); b = abs(y); top = max(a, b);"
     "safe = sqrt(largest) / 8; is_far = top >= safe; one = 1; inside = a <= one;"
     "half = now(0.5); up = a + one; u = abs(up); mx = max(u, b); mn = min(u, b);"
     "root_2 = 1.4142135623730951; zero = 0; two = 2; r = hypot(mx, mn, root_2, one, zero, two);"
     "down = a - one; u = abs(down); mx = max(u, b); mn = min(u, b);"
     "s = hypot(mx, mn, root_2, one, zero, two);"
     "mean = half * (r + s); h = half * (mean + a); bb = b * b; ru = r + up; v = bb / ru;"
     "sd = s - down; near = sqrt(h * (v + sd)); v = h / ru; su = s + down;"
     "far = b * sqrt(v + h / su); re = select(is_far, b, select(inside, near, far));"
     "w = a < safe * 1e12; p = safe * 1e-06; limit = select(w, p, safe * 100);"
     "is_high = b >= limit; mx = select(is_high, b, a); limit = select(is_high, limit, safe);"
     "huge = mx >= limit; l = log(two) + log(mx); e = is_high and not (b == like(y, inf)); d = a / b;"
     "q = select(e, d, zero); im_huge = l + half * log1p(q * q);"
     "low = (b < sqrt(least_normal) * 4) and (a < one); n = up * down; m1 = mean + one;"
     "on_axis = -(n / m1); right = a >= one; hb = half * bb; c = hb / ru;"
     "beyond = c + half * su; middle = mean <= 1.5; k = c + hb / sd;"
     "k = select(middle, k, mean - one);"
     "m = select(low, on_axis, select(right, beyond, k)); g = sqrt(m * m1); i = b / g;"
     "i = select(low, i, log1p(m + g)); complex(re, select(huge, im_huge, i))"},
    {"asin_complex", "z",
     "x = real(z); w = arc_kernel(z); r = atan2(x, real(w)); n = imag(z) < 0; i = imag(w);"
     "complex(r, select(n, -i, i))"},
    {"acos_complex", "z",
     "w = arc_kernel(z); v = real(w); r = atan2(v, real(z)); x = imag(z); n = x < 0;"
     "i = imag(w); complex(r, select(n, i, -i))"},
    {"acosh_complex", "z",
     "w = arc_kernel(z); r = imag(w); x = imag(z); n = x < 0; v = real(w);"
     "i = atan2(v, real(z)); complex(r, select(n, -i, i))"},
    {"asinh_complex", "z",
     "x = real(z); n = x < 0; y = imag(z); w = arc_kernel(complex(-y, x)); i = imag(w);"
     "r = select(n, -i, i); complex(r, atan2(y, real(w)))"},
    {"atanh_complex", "z",
     "x = real(z); zero = now(0); p = x >= zero; one = now(1); minus = now(-1);"
     "s = select(p, one, minus); four = now(4); a = abs(x); top = now(largest);"
     "c = top > 1e308; k = now(9007199254740994);"
     "e = select(c, k, select(top > 1e38, 16777218, 2050));"
     "safe = e * e; f = a < safe; y = imag(z); b = abs(y); is_safe = f and (b < safe);"
     "d = one - a; g = d * d; yy = y * y; near = a / (g + yy); flat = b * e < a;"
     "over = one / a; pos = now(inf); xp = x == pos; neg = now(-inf); ends = (xp or (x == neg));"
     "yp = y == pos; ends = ends or (yp or (y == neg)); u = a / y; v = one / (u + y / a) / y;"
     "far = select(flat, over, select(ends, zero, v));"
     "r = s * log1p(four * select(is_safe, near, far)) * 0.25;"
     "i = y + y; t = atan2(i, d * (one + a) - yy);"
     "h = y >= 0; h = select(h, one, minus) * pi;"
     "complex(r, select(is_safe, t, h) * 0.5)"},
    {"atan_complex", "z",
     "n = -imag(z); w = atanh_complex(complex(n, real(z))); r = imag(w);"
     "complex(r, -real(w))"},

    /* (t + i h) / (1 - i t h) */
    {"tan_complex", "z",
     "x = real(z); t = tan(x); h = tanh(imag(z)); n = complex(t, h); one = now(1);"
     "n / complex(one, -(t * h))"},

    /* Dekker's square: the rounding error of v * v; n is its negative. */
    {"split", "top", "c = top > 1e308; k = now(134217729); d = top > 1e38;"
                     "e = now(4097); select(c, k, select(d, e, 65))"},
    {"square_low", "v n k",
     "p = k * v; h = p + (v - p); s = n + h * h; l = v - h; c = h * l; s + c + c + l * l"},
    /* the rounding error of the sum s of a and b; the short form if a is the larger */
    {"sum_low", "a b s", "t = s - a; u = a - (s - t); u + (b - t)"},
    {"fast_low", "a b s", "b - (s - a)"},

    {"log1p_complex", "z",
     "x = real(z); a = abs(x); y = imag(z); b = abs(y); mx = max(a, b); top = now(largest);"
     "is_far = mx > sqrt(top) * 0.01; l = log(mx); half = now(0.5); mn = min(a, b);"
     "same = mn == mx; one = now(1); r = mn / mx; r = select(same, one, r * r);"
     "far = l + half * log1p(r); x1 = x + one; is_near = abs(x1) + b < 0.2;"
     "q = x1 * x1; yy = y * y; near = half * log(q + yy);"
     "xx2 = x + x; s0 = xx2 + yy; xx = x * x; s1 = s0 + xx; n = -yy; k = split(top);"
     "yl = square_low(y, n, k); s2 = s1 + yl; n = -xx; xl = square_low(x, n, k);"
     "s3 = s2 + xl; e = sum_low(xx2, yy, s0); e = e + sum_low(s0, xx, s1);"
     "e = e + sum_low(s1, yl, s2); e = e + sum_low(s2, xl, s3);"
     "r = select(is_near, near, half * log1p(s3 + e)); r = select(is_far, far, r);"
     "complex(r, atan2(y, x1))"},
    {"log_complex", "z",
     "x = real(z); one = now(-1); y = imag(z); yy = y * y; xx = x * x; g = yy > xx;"
     "mx = select(g, yy, xx); s0 = one + mx; mn = select(g, xx, yy); s1 = s0 + mn; n = -yy;"
     "top = now(largest); k = split(top); yl = square_low(y, n, k); s2 = s1 + yl; n = -xx;"
     "xl = square_low(x, n, k); s3 = s2 + xl; e = fast_low(one, mx, s0);"
     "e = e + fast_low(s0, mn, s1); e = e + fast_low(s1, yl, s2); e = e + fast_low(s2, xl, s3);"
     "s = s3 + e; half = 0.5; is_near = abs(s) < half; near = half * log1p(s);"
     "a = abs(x); b = abs(y); mx = max(a, b); l = log(mx); mn = min(a, b); same = mn == mx;"
     "u = now(1); r = select(same, u, mn / mx); far = l + half * log1p(r * r);"
     "r = select(is_near, near, far); complex(r, atan2(y, x))"},
    {"sqrt_complex", "z",
     "x = real(z); zero = now(0); right = x >= zero; a = abs(x); y = imag(z); b = abs(y);"
     "even = a == b; ra = sqrt(a); d = ra * 1.5537739740300374; root_2 = now(1.4142135623730951);"
     "d = d / root_2; mx = max(a, b); mn = min(a, b); one = 1; two = 2;"
     "h = hypot(mx, mn, root_2, one, zero, two); g = sqrt(h / two + a / two);"
     "edge = (g == zero) or (g == inf); wide = a > b; tall = a < b; q = a / b;"
     "q = select(even, one, select(tall, q, b / a)); u = abs(q); mx = max(one, u);"
     "mn = min(one, u); h = hypot(mx, mn, root_2, one, zero, two); rh = sqrt(one + h);"
     "u = ra * (rh / root_2); rb = sqrt(b); rq = sqrt(q + h); t = rb * (rq / root_2);"
     "u = select(even, d, select(edge, select(wide, u, t), g));"
     "v = rb / 2.19736822693562; c = ra / rb; c = select(tall, c, rb / ra);"
     "c = rb * select(even, one, c); c = c / (rh * root_2);"
     "c = select(wide, c, rb / (rq * root_2)); e = b / (g * two);"
     "v = select(even, v, select(edge, c, e)); re = select(right, u, v);"
     "left = x < zero; below = y < zero; i = select(below, -u, u);"
     "complex(re, select(left, i, select(below, -v, v)))"},
    {"exp_complex", "z",
     "x = real(z); e = exp(x); far = e == inf; h = exp(x * 0.5); y = imag(z); c = cos(y);"
     "r = h * c * h; r = select(far, r, e * c); zero = now(0); flat = y == zero; s = sin(y);"
     "i = h * s * h; complex(r, select(flat, zero, select(far, i, e * s)))"},
};
/* clang-format on */

const hlo_formula *hlo_formula_at(size_t index)
{
    return index < TW_COUNT(formulas) ? &formulas[index] : NULL;
}

const hlo_formula *hlo_find_formula(tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(formulas); i++)
        if (tw_str_equal(name, tw_str_from(formulas[i].name)))
            return &formulas[i];
    return NULL;
}
